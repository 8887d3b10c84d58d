/* What a head names has an adjoint argument, also where no derivative flows. */

double f_constant(int n, double *x, int *ia, double *w) {
    (void)ia;
    for (int i = 0; i < n; i++)
        x[i] *= w[i] > 0.5 ? 2.0 : 3.0;
    return 3.0;
}

/* w is memory to work in: it is overwritten, and no result depends on what was there. */
double f_scratch(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = 0;
    for (int i = 0; i < n; i++)
        w[i] = 0.5 * i;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    return s;
}
