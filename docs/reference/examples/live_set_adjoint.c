float x[8];
double x_adjoint[8], *p_adjoint;
adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STACK, "x");
adtape_live_set_adjoint(NULL, x, x_adjoint, sizeof x_adjoint);
adtape_push_pointer(adtape_self(), NULL, &x[5]);
adtape_pop_pointer(adtape_self(), NULL, NULL, (void **)&p_adjoint);
assert(p_adjoint == &x_adjoint[5]);
