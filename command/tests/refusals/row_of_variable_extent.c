static double row_sum(int m, int k, double (*row)[k]) {
    double sum = 0.0;
    for (int j = 0; j < m; j++) {
        for (int l = 0; l < k; l++) {
            sum += row[j][l] * row[j][l];
        }
    }
    return sum;
}

double f(int n, int m, int k, double x[n][m][k]) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += row_sum(m, k, x[i]);
    }
    return sum;
}
