double f(double x, double (*g)(double)) {
    return x * g(x);
}
