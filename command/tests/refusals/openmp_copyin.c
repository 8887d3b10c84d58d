static double factor = 2.0;
#pragma omp threadprivate(factor)
double f(int n, const double *x) {
    double sum = 0.0;
#pragma omp parallel for copyin(factor) reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += factor * x[i];
    return sum;
}
