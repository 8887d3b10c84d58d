double cblas_ddotc(int n, const double *x, int step_x, const double *y, int step_y);
double f(int n, const double *x) {
    double s = 0.0;
    for (int i = 1; i < n; i++) s += cblas_ddotc(i, x, 1, x, 1);
    return s + cblas_ddotc(n, x, 1, x, 1) + cblas_ddotc(n - 1, x, 1, x + 1, 1);
}
