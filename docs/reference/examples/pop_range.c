const adtape_objects_t *s = NULL;
adtape_t *t = adtape_self();
double *x = malloc(80), *x_adjoint;
adtape_range_t range;
adtape_live_add(s, x, 80, ADTAPE_KIND_HEAP, "x");
adtape_live_end(t, s, x); /* forward sweep: free(x) */
free(x);
adtape_live_begin_reverse(s);
adtape_pop_range(t, s, &range); /* reverse sweep */
x = malloc((size_t)range.bytes);
x_adjoint = calloc(1, (size_t)range.bytes);
adtape_rebase_add(s, &range, x, x_adjoint, range.bytes);
adtape_rebase_remove(s, x); /* reverse sweep of x = malloc(80) */
free(x);
free(x_adjoint);
