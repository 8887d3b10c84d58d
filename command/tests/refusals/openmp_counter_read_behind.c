double f(int n, const double *x) {
    double sum = 0.0;
    int i;
#pragma omp parallel for reduction(+ : sum)
    for (i = 0; i < n; i++) sum += x[i] * x[i];
    return sum * i;
}
