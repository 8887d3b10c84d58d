double f(int n, const double *x) {
    static double work[8];
    double sum = 0.0;
    for (int i = 0; i < n; i++) work[i] = x[i] * x[i];
    for (int i = 0; i <= n; i++) sum += work[i] * x[0];
    return sum;
}
