/* Variables that point to memory without derivatives first, and to memory with derivatives later. */
static double weights[4] = {1.0, 0.5, 0.25, 2.0};

double f_global_first(int n, double *x, int *ia, double *w) {
    double *p = weights, sum = p[1];
    (void)ia, (void)w;
    p = x;
    for (int i = 0; i < n; i++) sum += p[i] * p[i] * sum;
    return sum;
}

double f_local_first(int n, double *x, int *ia, double *w) {
    double table[3] = {0.3, 0.6, 0.9}, *p = table + 1, sum = *p;
    (void)ia, (void)w;
    if (n > 2) {
        sum *= p[1];
        p = x + 1;
        sum += p[0] * p[1];
    }
    return sum * x[0];
}

double f_one_in_each_pass(int n, double *x, int *ia, double *w) {
    double sum = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        const double *p = weights;
        double scale = p[i];
        p = x;
        sum += scale * p[i] * p[i];
    }
    return sum;
}
