adtape_t *t = adtape_self();
double x;
adtape_push_f64(t, 1.0);
assert(!adtape_is_empty(t));
adtape_pop_f64(t, &x);
assert(adtape_is_empty(t));
