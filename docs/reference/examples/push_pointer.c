adtape_t *t = adtape_self();
double x[4], x_adjoint[4], *p = &x[2], *p_adjoint;
adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STACK, "x");
adtape_live_set_adjoint(NULL, x, x_adjoint, sizeof x_adjoint);
adtape_push_pointer(t, NULL, p);
p = NULL;
adtape_pop_pointer(t, NULL, (void **)&p, (void **)&p_adjoint);
assert(p == &x[2] && p_adjoint == &x_adjoint[2]);
