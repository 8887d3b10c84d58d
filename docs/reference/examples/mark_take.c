adtape_t *t = adtape_self();
adtape_mark_t before;
double x;
adtape_push_f64(t, 1.0);
must(adtape_mark_take(t, &before));
adtape_push_f64(t, 2.0); /* a trial step that is rejected */
adtape_push_control(t, 1, 1);
must(adtape_mark_reset(t, &before));
adtape_pop_f64(t, &x);
assert(x == 1.0);
