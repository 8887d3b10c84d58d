adtape_store_t *files, *s;
must(adtape_store_create_files("/tmp", NULL, -1, 0, &files));
must(adtape_store_create_memory(64 << 20, files, &s)); /* in memory first, beyond 64 MiB in files */
must(adtape_store_destroy(files));
must(adtape_store_destroy(s));
