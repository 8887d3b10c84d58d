/* example: whole */
static void *aligned(const adtape_wanted_t *wanted, void *user) {
    (void)user;
    assert(wanted->rank == 2 && wanted->extents[1] == 4);
    return aligned_alloc(64, (size_t)wanted->bytes);
}

static void unaligned(const adtape_wanted_t *wanted, void *base, void *user) {
    (void)wanted, (void)user;
    free(base);
}

int main(void) {
    const int64_t lower[] = {1, 1}, extents[] = {2, 4};
    double *x = aligned_alloc(64, 64);
    must(adtape_live_set_allocator(NULL, "x", aligned, unaligned, NULL));
    adtape_live_add(NULL, x, 64, ADTAPE_KIND_HEAP, "x");
    must(adtape_live_set_bounds(NULL, x, 2, lower, extents));
    return 0;
}
