double f(const double *x, double s) {
    double t = x[0];
    {
        enum { s = 3 };
        t += s * x[1];
    }
    return s * t;
}
