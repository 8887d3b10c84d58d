double cblas_ddot(int n, const double *x, int step_x, const double *y, int step_y);
double f(int n, const double *x) {
    double s = 0.0;
    for (int i = 1; i < n; i++) s += cblas_ddot(i, x, 1, x, 1);
    return s + cblas_ddot(n, x, 1, x, 1) + cblas_ddot(n - 1, x, 1, x + 1, 1);
}
