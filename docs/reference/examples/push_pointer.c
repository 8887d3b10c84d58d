const adtape_objects_t *s = NULL;
adtape_t *t = adtape_self();
double x[4], x_adjoint[4], *p = &x[2], *p_adjoint;
adtape_live_add(s, x, sizeof x, ADTAPE_KIND_STACK, "x");
adtape_live_set_adjoint(s, x, x_adjoint, sizeof x_adjoint);
adtape_push_pointer(t, s, p);
p = NULL;
adtape_pop_pointer(t, s, (void **)&p, (void **)&p_adjoint);
assert(p == &x[2] && p_adjoint == &x_adjoint[2]);
