/* What a function keeps from call to call is its own where it has no derivative: the sweeps call it as it is. */
static double uniform(void) {
    static unsigned seed = 12345u;
    seed = seed * 1103515245u + 12345u;
    return (double)(seed >> 16 & 0x7fff) / 32768.;
}

double f_noisy(int n, double *x, int *ia, double *w) {
    double s = 0.;
    (void)ia;
    (void)w;
    for (int i = 0; i < n; ++i) s += x[i] * x[i] * uniform();
    if (uniform() > 0.5) s *= x[0];
    return s;
}

double f_misfit(int n, double *x, int *ia, double *w) {
    double s = 0.;
    (void)ia;
    for (int i = 0; i < n; ++i) {
        double r = x[i] * uniform() - w[i];
        s += r * r;
    }
    return s;
}

static int next(int n) {
    static int k;
    k = (k + 3) % n;
    return k;
}

double f_visited(int n, double *x, int *ia, double *w) {
    double s = 0.;
    (void)ia;
    (void)w;
    for (int i = 0; i < n; ++i) {
        int k = next(n);
        x[k] = x[k] * x[next(n)] + 0.1;
        s += x[k];
    }
    return s;
}
