double f(int n, const double *x) {
    double sum = 0.0, last = 1.0;
#pragma omp parallel for private(last) reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        sum += last * x[i];
        last = x[i];
    }
    return sum;
}
