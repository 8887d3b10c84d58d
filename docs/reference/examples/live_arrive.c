adtape_store_t *store;
adtape_checkpoint_t *c;
adtape_restoration_t *r;
int64_t forgotten;
must(adtape_store_create_memory(0, NULL, &store));
must(adtape_checkpoint_create(store, "a", &c));
must(adtape_live_save(NULL, c, NULL, 0, NULL));
must(adtape_checkpoint_commit(c));
must(adtape_checkpoint_open(store, "a", &c));
must(adtape_live_restore(NULL, c, &r, NULL));
must(adtape_checkpoint_close(c));
must(adtape_live_forget_adjoints(NULL, NULL, &forgotten)); /* no reverse sweep follows */
assert(forgotten == 0);
adtape_live_begin_reverse(NULL);
must(adtape_live_arrive(NULL, r));
must(adtape_store_destroy(store));
