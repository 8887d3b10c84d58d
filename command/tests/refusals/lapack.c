void dsysv_(const int *n, const int *m, double *a, const int *lda, int *pivots, double *b, const int *ldb, int *info);
double f(const double *x) {
    int n = 2, one = 1, pivots[2], info;
    double a[4] = {x[0], 1.0, 0.0, x[1]}, b[2] = {x[2], x[3]};
    dsysv_(&n, &one, a, &n, pivots, b, &n, &info);
    return b[0] * b[1];
}
