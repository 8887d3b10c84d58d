adtape_store_t *s;
adtape_checkpoint_t *c;
int64_t step = 40;
double u[2][3] = {{1, 2, 3}, {4, 5, 6}};
const int64_t extents[2] = {3, 2}, strides_bytes[2] = {8, 24};
must(adtape_store_create_memory(0, NULL, &s));

must(adtape_checkpoint_create(s, "step-40", &c));
must(adtape_checkpoint_write(c, "step", ADTAPE_TYPE_I64, &step, 1));
must(adtape_checkpoint_write_section(c, "u", ADTAPE_TYPE_F64, u, 2, NULL, extents, strides_bytes));
must(adtape_checkpoint_commit(c));

step = 0;
memset(u, 0, sizeof u);
must(adtape_checkpoint_open(s, "step-40", &c));
must(adtape_checkpoint_read(c, "step", ADTAPE_TYPE_I64, &step, 1));
must(adtape_checkpoint_read_section(c, "u", ADTAPE_TYPE_F64, u, 2, extents, strides_bytes));
must(adtape_checkpoint_close(c));
assert(step == 40 && u[1][2] == 6);
must(adtape_store_destroy(s));
