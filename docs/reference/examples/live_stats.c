const adtape_objects_t *s = NULL;
double x;
adtape_live_stats_t stats;
adtape_live_add(s, &x, sizeof x, ADTAPE_KIND_STACK, "x");
must(adtape_live_stats(s, &stats));
assert(stats.ranges == 1 && stats.bytes == sizeof x && stats.births == 1);
must(adtape_live_print(s, 1));
