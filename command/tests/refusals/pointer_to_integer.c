double f(const double *x) {
    unsigned long bits = (unsigned long)x;
    return x[bits % 2];
}
