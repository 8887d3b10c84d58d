static const double *data;
static double power(int n) { return n ? data[n] * power(n - 1) : 1.0; }
double f(const double *x) {
    data = x;
    double s = power(2);
    data = x + 1;
    return s * power(2);
}
