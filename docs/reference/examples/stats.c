adtape_t *t = adtape_self();
adtape_stats_t stats;
double x;
adtape_push_f64(t, 1.0);
adtape_push_control(t, 1, 3);
must(adtape_stats(t, &stats));
assert(stats.bytes == 8 && stats.pending_bits == 3 && stats.peak_bytes >= 8);
assert(adtape_pop_control(t, 3) == 1);
adtape_pop_f64(t, &x);
