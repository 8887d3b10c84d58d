double f(const double *x) {
    double a = x[0], b = x[1];
#pragma omp parallel sections
    {
        a = a * b;
#pragma omp section
        b = b + 1.0;
    }
    return a * b;
}
