adtape_store_t *s;
adtape_checkpoint_t *c;
adtape_section_t section;
double x[3] = {1, 2, 3};
must(adtape_store_create_memory(0, NULL, &s));
must(adtape_checkpoint_create(s, "a", &c));
must(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_F64, x, 3));
must(adtape_checkpoint_write(c, "y", ADTAPE_TYPE_F64, x, 1));
must(adtape_checkpoint_commit(c));
must(adtape_checkpoint_open(s, "a", &c));
must(adtape_checkpoint_next(c, 0, &section));
while (section.name != NULL) {
    printf("%s: %d of %s\n", section.name, (int)section.count, adtape_type_name(section.type_code));
    must(adtape_checkpoint_next(c, 1, &section));
}
must(adtape_checkpoint_find(c, "y"));
must(adtape_checkpoint_read(c, "y", ADTAPE_TYPE_F64, x, 1));
must(adtape_checkpoint_close(c));
must(adtape_store_destroy(s));
