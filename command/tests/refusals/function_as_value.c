static double square(double x) { return x * x; }
double f(double x) {
    double (*g)(double) = square;
    return g(x);
}
