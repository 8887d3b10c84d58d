adtape_store_t *s;
double x[3] = {1, 2, 3};
must(adtape_store_create_files("/tmp", NULL, -1, ADTAPE_STORE_COMPRESS, &s));
adtape_checkpoint_t *c;
must(adtape_checkpoint_create(s, "step-0", &c));
must(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_F64, x, 3));
must(adtape_checkpoint_commit(c));
must(adtape_store_destroy(s)); /* and the file is gone: the store had no name of a run */
