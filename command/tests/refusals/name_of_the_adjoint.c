static double f_b = 2.0;

double f(double x) {
    return f_b * x * x;
}
