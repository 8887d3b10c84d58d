double f(int n, int m, double *x) {
    double t[n][m], sum = 0.0;
    for (int i = 0; i < n; i++) {
        double(*row)[m] = &t[i];
        for (int j = 0; j < m; j++) {
            (*row)[j] = x[j] * x[i];
            sum += row[0][j] * (*row)[0];
        }
    }
    return sum;
}
