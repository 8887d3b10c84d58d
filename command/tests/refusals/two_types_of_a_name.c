double f(int n, const double *x, double s) {
    for (int i = 0; i < n; i++) {
        struct part { double m[2]; } z = {{x[i], s}};
        s += z.m[0] * z.m[1];
    }
    for (int i = 0; i < n; i++) {
        struct part { int k; double m; } z = {i, x[i]};
        s += z.m * x[z.k];
    }
    return s;
}
