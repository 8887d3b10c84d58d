double f(double *x, int n) {
    double *rows[4];
    double s = 0.0;
    for (int i = 0; i < 4; i++) rows[i] = x + i * n;
    for (int i = 0; i < 4; i++) s += rows[i][0] * rows[3 - i][0];
    return s;
}
