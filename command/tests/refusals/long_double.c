double f(double x) {
    long double y = (long double)x * x;
    return (double)y;
}
