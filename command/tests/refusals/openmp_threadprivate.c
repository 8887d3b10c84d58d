static double work[8];
#pragma omp threadprivate(work)
double f(int n, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < 8; i++) work[i] = x[i];
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += work[i % 8] * x[i];
    return sum;
}
