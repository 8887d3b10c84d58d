/* Locals that a translator from Fortran declared static: each call assigns them before it reads them. */

static double dot(const int *n, double *x, double *w) {
    static int i, m;
    static double sum;
    --x;
    --w;
    sum = 0.;
    if (*n <= 0) return 0.;
    m = *n % 3;
    if (m == 0) goto rest;
    for (i = 1; i <= m; ++i) sum += x[i] * w[i];
    if (*n < 3) goto done;
rest:
    for (i = m + 1; i <= *n; i += 3) sum += x[i] * w[i] + x[i + 1] * w[i + 1] + x[i + 2] * w[i + 2];
done:
    return sum;
}

/* The call reads what the assignment reads, too, and writes only variables of its own. */
double f_forward(int n, double *x, int *ia, double *w) {
    static int j, k;
    (void)ia;
    for (j = 1; j < n; ++j) {
        k = j;
        x[j] -= dot(&k, x, w) * dot(&n, w, x) / 7.;
    }
    return x[n - 1] * x[0];
}

double f_chosen(int n, double *x, int *ia, double *w) {
    static double a, b;
    switch (ia[0]) {
    case 0: a = x[0]; break;
    case 1: a = x[1] * x[1];
    /* falls through */
    default: b = w[0]; a = b * x[n - 1];
    }
    b = a > 0.5 ? a * w[1] : x[2];
    return a * b;
}
