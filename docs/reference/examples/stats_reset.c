adtape_t *t = adtape_self();
adtape_stats_t stats;
static double a[10000];
adtape_push_array_f64(t, a, 10000);
adtape_pop_array_f64(t, a, 10000);
must(adtape_stats_reset(t));
must(adtape_stats(t, &stats));
assert(stats.peak_bytes == 0);
