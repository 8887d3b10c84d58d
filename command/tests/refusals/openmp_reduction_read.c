double f(int n, double *x) {
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
        x[i] = sum;
    }
    return x[n - 1] * x[0];
}
