/* example: figures vary */
adtape_t *t = adtape_self();
double x, a[10] = {0.0};
must(adtape_stats_set_profile(t, true));
adtape_push_array_f64(t, a, 10);
adtape_push_f64(t, 1.0);
adtape_pop_f64(t, &x);
must(adtape_stats_print(t, 1));
must(adtape_destroy(t));
