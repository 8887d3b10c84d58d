static void reset(double *v) {
    *v = 0.0;
}

double f(double x) {
    __attribute__((cleanup(reset))) double v = x * x;
    return v;
}
