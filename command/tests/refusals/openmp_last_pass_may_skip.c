double f(int n, const double *x) {
    double largest = 0.0;
#pragma omp parallel for lastprivate(largest)
    for (int i = 0; i < n; i++)
        if (x[i] > 1.0) largest = x[i];
    return largest;
}
