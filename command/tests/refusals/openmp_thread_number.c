int omp_get_max_threads(void);
double f(int n, const double *x) {
    double sum = 0.0;
    int chunk = n / omp_get_max_threads();
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < chunk; i++) sum += x[i] * x[i];
    return sum;
}
