double f(volatile double *x) {
    return x[0] * x[0];
}
