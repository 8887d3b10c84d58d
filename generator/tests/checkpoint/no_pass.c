/* What is required in front of the loop is there again, whether the loop runs or not. */
double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static double steps(int n, double *x, double *w) {
    double s = 0.0;
    w[0] = x[0];
    w[1] = x[1];
    s += w[0] * w[0] * w[1];
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < n; t++) {
        w[0] = w[0] * w[1];
        w[1] = w[1] * x[2 + t];
    }
    s += w[0] * w[1];
    w[0] = 3.0;
    w[1] = 5.0;
    return s;
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    const double none = steps(0, x, w), some = steps(n / 8, x + 1, w);
    return none * some + steps(1, x + 2, w + 1);
}

void tables(int *ia) {
    ia[0] = 0;
}
