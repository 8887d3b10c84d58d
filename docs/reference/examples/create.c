adtape_t *t;
double x;
must(adtape_create(&t));
adtape_push_f64(t, 1.0);
adtape_push_f64(adtape_self(), 2.0); /* has nothing to do with t */
adtape_pop_f64(t, &x);
assert(x == 1.0);
adtape_pop_f64(adtape_self(), &x);
must(adtape_destroy(t));
