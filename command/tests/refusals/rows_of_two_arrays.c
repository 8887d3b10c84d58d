double f(int n, double *x, double *p) {
    double *row[8], sum = 0.0;
    for (int i = 0; i < 8; i++) row[i] = i % 2 ? x + i : p + i;
    for (int i = 0; i < n; i++) sum += row[i][0] * row[i][1];
    return sum;
}
