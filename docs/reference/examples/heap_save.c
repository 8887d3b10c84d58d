adtape_heap_t *h = adtape_heap_self();
adtape_t *t = adtape_self();
int64_t bytes;
must(adtape_heap_set_recording(h, false));
double *x = (double *)adtape_heap_alloc(h, t, sizeof *x);
*x = 0.5;
must(adtape_heap_save(h, NULL, 0, &bytes));
void *snapshot = malloc((size_t)bytes);
must(adtape_heap_save(h, snapshot, bytes, NULL));
adtape_heap_free(h, t, x); /* an advance to the next checkpoint */
must(adtape_heap_restore(h, snapshot, bytes));
assert(*x == 0.5);
adtape_heap_free(h, t, x);
free(snapshot);
