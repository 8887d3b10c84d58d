double x;
adtape_range_t range;
adtape_live_add(NULL, &x, sizeof x, ADTAPE_KIND_STACK, "x (a double)");
must(adtape_live_find(NULL, &x, &range));
assert(strcmp(adtape_range_label(NULL, &range), "x (a double)") == 0);
