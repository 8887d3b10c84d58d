static double scale = 1.0;
static void configure(const char *name, ...) {
    (void)name;
    scale *= 2.0;
}
double f(double x) {
    double y = x * scale;
    configure("scale");
    return y * scale * x;
}
