double f(int n, const double *x) {
    double sum = 0.0;
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}
