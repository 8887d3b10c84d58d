double f(const double *x) {
    static int first = 1;
    static double scale = 1.0;
    double y = first ? x[0] : 2.0 * x[0];
    if (first) {
        scale = 3.0;
        first = 0;
    }
    return scale * y;
}
