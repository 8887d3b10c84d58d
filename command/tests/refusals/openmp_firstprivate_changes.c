double f(int n, const double *x) {
    double sum = 0.0, weight = 1.0;
#pragma omp parallel for firstprivate(weight) reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        weight *= 0.5;
        sum += weight * x[i];
    }
    return sum;
}
