double scale = 1.0;
static double *leading = &scale;
void configure(const char *what);
double f(double x) {
    double y = *leading * x * x;
    configure("after");
    return y;
}
