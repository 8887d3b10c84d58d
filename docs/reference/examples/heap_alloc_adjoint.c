adtape_heap_t *h = adtape_heap_self();
double *work = (double *)adtape_heap_alloc_adjoint(h, 100 * sizeof *work);
assert(work[99] == 0);
adtape_heap_free_adjoint(h, work);
