adtape_heap_t *h = adtape_heap_self();
adtape_t *t = adtape_self();
double *x = (double *)adtape_heap_alloc(h, t, 100 * sizeof *x);
double *y = (double *)adtape_heap_calloc(h, t, 100, sizeof *y);
double *z = (double *)adtape_heap_alloc_aligned(h, t, 100 * sizeof *z, 64);
assert(x != y && y[99] == 0 && (uintptr_t)z % 64 == 0);
must(adtape_heap_begin_reverse(h));
adtape_heap_undo_alloc(h, t); /* z */
adtape_heap_undo_alloc(h, t); /* y */
adtape_heap_undo_alloc(h, t); /* x */
