double uniform(void) {
    static unsigned seed = 12345u;
    seed = seed * 1103515245u + 12345u;
    return (double)(seed >> 16 & 0x7fff) / 32768.;
}
double f(int n, double *x) {
    double s = 0;
#pragma adjoint again
    for (int i = 0; i < n; i++) {
        double r = x[i] * uniform();
        s += r * r;
    }
    return s;
}
