adtape_store_t *s;
must(adtape_store_create_memory(0, NULL, &s));
must(adtape_store_trim(s)); /* after checkpoints were removed, before something else needs the memory */
must(adtape_store_destroy(s));
