int sign;
static double signed_square(double x) { sign = x < 0 ? -1 : 1; return x * x * sign; }
double f(double x, double y) {
    double p = signed_square(x) * signed_square(y);
    return p * sign;
}
