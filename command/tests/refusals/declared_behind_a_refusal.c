double other(double x);
double f(double x) {
    const double first = 2.0 * other(x), second = 1.0 / x, third = second * other(second);
    double s = second * x;
    return s * second * first + third;
}
