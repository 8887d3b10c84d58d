adtape_t *t = adtape_self();
int64_t count = 0;
for (double x = 1000.0; x > 1.0; x = 0.5 * x) {
    count++;
}
adtape_push_count(t, count);
assert(adtape_pop_count(t) == 10);
