static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
double f(double x, int n) {
    double (*g)(double) = n > 2 ? square : cube;
    return g(x);
}
