double scale = 1.0;
void configure(const char *what);
double f(double x) {
    double y = scale * x * x;
    configure("after");
    return y;
}
