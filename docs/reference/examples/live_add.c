double *x = malloc(1000 * sizeof *x);
adtape_live_add(NULL, x, 1000 * sizeof *x, ADTAPE_KIND_HEAP, "x (double[1000])");
adtape_live_remove(NULL, x);
free(x);
