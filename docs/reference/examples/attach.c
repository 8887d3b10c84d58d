adtape_t *t = adtape_self();
adtape_local_t l;
double x = 1.0;
must(adtape_attach(t, &l));
for (int i = 0; i < 1000; i++) {
    adtape_local_push_f64(&l, x);
    adtape_local_push_control(&l, x > 2.0, 1);
    x = x > 2.0 ? 0.5 * x : 1.5 * x;
}
for (int i = 0; i < 1000; i++) {
    uint64_t halved = adtape_local_pop_control(&l, 1);
    adtape_local_pop_f64(&l, &x);
    assert(halved == (x > 2.0));
}
must(adtape_detach(&l));
assert(x == 1.0);
