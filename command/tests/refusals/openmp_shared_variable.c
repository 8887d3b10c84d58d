double f(int n, const double *x) {
    double y[8] = {0.0}, scaled;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        scaled = 3.0 * x[i];
        y[i % 8] = scaled * scaled;
    }
    return y[0] + y[1];
}
