adtape_heap_t *h = adtape_heap_self();
must(adtape_heap_set_recording(h, false));
adtape_heap_free(h, NULL, adtape_heap_alloc(h, NULL, 1000)); /* an advance: nothing will be undone */
must(adtape_heap_set_recording(h, true));
double *x = (double *)adtape_heap_alloc(h, adtape_self(), sizeof *x);
*x = 0.5;
must(adtape_heap_begin_reverse(h));
*(double *)adtape_heap_adjoint(h, x) += 2 * *x;
adtape_heap_undo_alloc(h, adtape_self());
must(adtape_heap_end_reverse(h));
