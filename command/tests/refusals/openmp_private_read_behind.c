double f(int n, const double *x) {
    double sum = 0.0, square = 4.0;
#pragma omp parallel for private(square) reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        square = x[i] * x[i];
        sum += square;
    }
    return sum * square;
}
