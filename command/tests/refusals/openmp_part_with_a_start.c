double f(int n, const double *x) {
    double sum = 0.0;
#pragma omp parallel
    {
        double mine = 1.0;
#pragma omp for
        for (int i = 0; i < n; i++) mine += x[i] * x[i];
#pragma omp critical
        sum += mine;
    }
    return sum;
}
