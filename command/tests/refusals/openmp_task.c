double f(const double *x) {
    double a = 0.0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(a)
        a = x[0] * x[0];
#pragma omp taskwait
    }
    return a;
}
