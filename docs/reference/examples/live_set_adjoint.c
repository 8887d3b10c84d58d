const adtape_objects_t *s = NULL;
float x[8];
double x_adjoint[8], *p_adjoint;
adtape_live_add(s, x, sizeof x, ADTAPE_KIND_STACK, "x");
adtape_live_set_adjoint(s, x, x_adjoint, sizeof x_adjoint);
adtape_push_pointer(adtape_self(), s, &x[5]);
adtape_pop_pointer(adtape_self(), s, NULL, (void **)&p_adjoint);
assert(p_adjoint == &x_adjoint[5]);
