double x[4];
adtape_range_t range, ranges[10];
int64_t count;
adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STACK, "x");
must(adtape_live_find(NULL, &x[2], &range));
assert(range.base == x && range.bytes == sizeof x);
must(adtape_live_list(NULL, ranges, 10, &count));
assert(count == 1 && ranges[0].serial == range.serial);
