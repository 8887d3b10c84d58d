adtape_t *t = adtape_self();
double x = 1.0;
adtape_range_t range;
adtape_live_add(NULL, &x, sizeof x, ADTAPE_KIND_STACK, "x");
adtape_live_end(t, NULL, &x);
adtape_pop_range(t, NULL, &range);
assert(range.base == &x && range.bytes == sizeof x && strcmp(adtape_range_label(NULL, &range), "x") == 0);
