adtape_heap_t *h = adtape_heap_self();
double *x = (double *)adtape_heap_calloc(h, adtape_self(), 10, sizeof *x);
void *found;
assert(adtape_heap_find_adjoint(h, x, &found) == ADTAPE_STATUS_NO_ADJOINT);
must(adtape_heap_begin_reverse(h));
must(adtape_heap_find_adjoint(h, &x[3], &found));
assert(found == adtape_heap_adjoint(h, &x[3]));
assert(found == adtape_heap_adjoint_scaled(h, &x[3]));
adtape_heap_undo_alloc(h, adtape_self());
