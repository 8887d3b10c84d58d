double f(unsigned long address, double x) {
    const double *p = (const double *)address;
    return p[0] * x;
}
