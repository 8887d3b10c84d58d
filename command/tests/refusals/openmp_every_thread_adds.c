double f(const double *x) {
    double sum = 0.0;
#pragma omp parallel num_threads(4)
    {
#pragma omp atomic
        sum += x[0] * x[1];
    }
    return sum;
}
