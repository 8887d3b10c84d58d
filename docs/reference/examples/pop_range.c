adtape_t *t = adtape_self();
double *x = malloc(80), *x_adjoint;
adtape_range_t range;
adtape_live_add(NULL, x, 80, ADTAPE_KIND_HEAP, "x");
adtape_live_end(t, NULL, x); /* forward sweep: free(x) */
free(x);
adtape_live_begin_reverse(NULL);
adtape_pop_range(t, NULL, &range); /* reverse sweep */
x = malloc((size_t)range.bytes);
x_adjoint = calloc(1, (size_t)range.bytes);
adtape_rebase_add(NULL, &range, x, x_adjoint, range.bytes);
adtape_rebase_remove(NULL, x); /* reverse sweep of x = malloc(80) */
free(x);
free(x_adjoint);
