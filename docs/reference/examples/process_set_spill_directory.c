must(adtape_process_set_memory_limit(4 << 20));
must(adtape_process_set_spill_directory("/tmp"));
adtape_t *t = adtape_self();
adtape_stats_t stats;
double x;
for (int i = 0; i < 1000000; i++) {
    adtape_push_f64(t, i);
}
must(adtape_stats(t, &stats));
assert(stats.spilled_bytes > 3000000);
for (int i = 1000000; i-- > 0;) {
    adtape_pop_f64(t, &x);
    assert(x == i);
}
