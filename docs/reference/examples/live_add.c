const adtape_objects_t *s = NULL;
double *x = malloc(1000 * sizeof *x);
adtape_live_add(s, x, 1000 * sizeof *x, ADTAPE_KIND_HEAP, "x (double[1000])");
adtape_live_remove(s, x);
free(x);
