static double doubled(double *x) { *x = *x * 2.0; return *x; }
double f(double *x) {
    return x[0] + doubled(x);
}
