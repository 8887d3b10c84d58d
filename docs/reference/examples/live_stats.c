double x;
adtape_live_stats_t stats;
adtape_live_add(NULL, &x, sizeof x, ADTAPE_KIND_STACK, "x");
must(adtape_live_stats(NULL, &stats));
assert(stats.ranges == 1 && stats.bytes == sizeof x && stats.births == 1);
must(adtape_live_print(NULL, 1));
