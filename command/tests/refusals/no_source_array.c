void elsewhere(double *x, int n);
double f(double *x, int n) {
    elsewhere(x, n);
    return x[0];
}
