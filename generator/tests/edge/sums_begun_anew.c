/* One variable has several sums, each begun at a constant: the adjoint of one must not reach another. */
double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double s = 0.0, c = 0.0;
    s += x[0];
    c += s * s;
    s = 0.0;
    s += x[1];
    c += s * x[2];
    for (int i = 3; i < n; i++) {
        x[0] = 2.0 * s;
        s = 1.0;
        s -= x[i];
        c += x[0] * s;
    }
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
