static double trace(int n, double **row) {
    double *first = row[0], sum = 0.0;
    row[0] = row[n - 1];
    row[n - 1] = first;
    for (int i = 0; i < n; i++) sum += row[i][i] * row[i][0];
    return sum;
}
double f(int n, double *x) {
    double *row[8];
    for (int i = 0; i < 8; i++) row[i] = x + i * n;
    return trace(n, row);
}
