double f(double x) {
    volatile double y[1];
    y[0] = x * x;
    return y[0];
}
