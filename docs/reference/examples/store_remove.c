adtape_store_t *s;
must(adtape_store_create_memory(0, NULL, &s));
assert(adtape_store_remove(s, "step-0") == ADTAPE_STATUS_NOT_FOUND);
must(adtape_store_destroy(s));
