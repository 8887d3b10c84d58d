adtape_heap_t *h;
must(adtape_heap_create(2, INT64_C(1) << 30, &h));
float *x = (float *)adtape_heap_alloc(h, adtape_self(), 100 * sizeof *x);
must(adtape_heap_begin_reverse(h));
double *xb = (double *)adtape_heap_adjoint_scaled(h, x); /* of 100 elements, all 0 */
assert(xb[99] == 0);
adtape_heap_undo_alloc(h, adtape_self());
must(adtape_heap_destroy(h));
assert(adtape_heap_self() == adtape_heap_self());
