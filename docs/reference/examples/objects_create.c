adtape_objects_t *o;
double x;
must(adtape_objects_create(&o));
assert(adtape_live_add(o, &x, sizeof x, ADTAPE_KIND_STACK, "x") == 1);
must(adtape_objects_destroy(o));
