adtape_store_t *s;
int64_t count;
const char *name;
must(adtape_store_create_memory(0, NULL, &s));
must(adtape_store_list(s, 0, &count, &name));
assert(count == 0 && name == NULL);
must(adtape_store_destroy(s));
