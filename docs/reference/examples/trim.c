adtape_t *t = adtape_self();
adtape_stats_t before, after;
static double a[1000000];
adtape_push_array_f64(t, a, 1000000);
adtape_pop_array_f64(t, a, 1000000);
must(adtape_stats(t, &before));
must(adtape_trim(t, ADTAPE_TRIM_HARD));
must(adtape_stats(t, &after));
assert(before.committed_bytes >= (int64_t)sizeof a && after.committed_bytes < (int64_t)sizeof a / 8);
