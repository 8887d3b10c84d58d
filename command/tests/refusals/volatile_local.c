double f(double x) {
    volatile double y = x * x;
    return y;
}
