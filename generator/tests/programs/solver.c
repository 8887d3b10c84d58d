/* Functions that parameters bring into a struct; and a count of calls, whose order is open. */
struct solver {
    double (*f)(double, const double *), (*slope)(double, const double *);
    const double *p;
    int calls;
};

static void prepare(struct solver *s, double (*f)(double, const double *), double (*slope)(double, const double *),
                    const double *p) {
    s->f = f;
    s->slope = slope;
    s->p = p;
    s->calls = 0;
}

static double called(struct solver *s, double t) {
    s->calls++;
    return s->f(t, s->p);
}

static double cubic(double t, const double *p) { return t * t * t - p[0] * t - p[1]; }
static double cubic_slope(double t, const double *p) { return 3.0 * t * t - p[0]; }

static double solved(double (*f)(double, const double *), double (*slope)(double, const double *), double t,
                     const double *p) {
    struct solver s;
    prepare(&s, f, slope, p);
    for (int i = 0; i < 4; i++) {
        double d = s.slope ? s.slope(t, p) : (called(&s, t + 0.5) - called(&s, t - 0.5));
        t -= called(&s, t) / d;
    }
    return t * s.calls;
}

double f_in_a_struct(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    return solved(cubic, cubic_slope, 2.0, x) + solved(cubic, cubic_slope, 1.5, x + 1);
}
