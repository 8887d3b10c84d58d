adtape_heap_t *h = adtape_heap_self();
adtape_t *t = adtape_self();
double *x = (double *)adtape_heap_alloc(h, t, sizeof *x), *y = (double *)adtape_heap_alloc(h, t, sizeof *y);
*x = *y = 0.5;
adtape_push_f64(t, *x); /* needed below */
adtape_heap_free(h, t, x);
adtape_heap_free_save(h, t, y);
must(adtape_heap_begin_reverse(h));
assert(adtape_heap_undo_free(h, t) == y && *y == 0.5);
assert(adtape_heap_undo_free(h, t) == x);
adtape_pop_f64(t, x);
adtape_heap_undo_alloc(h, t);
adtape_heap_undo_alloc(h, t);
