/* Products of complex numbers: their members are scalars, and no struct goes on the tape as a whole. */
struct number {
    double re, im;
};

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static struct number product(struct number a, struct number b) {
    struct number c;
    c.re = a.re * b.re - a.im * b.im;
    c.im = a.re * b.im + a.im * b.re;
    return c;
}

static struct number sum(struct number a, struct number b) {
    a.re += b.re;
    a.im += b.im;
    return a;
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    struct number power = {1.0, 0.0}, all = {0.0, 0.0};
    for (int i = 0; i < n; i++) {
        struct number step = {0.9, 0.1}, at = {x[i], x[0]};
        all = sum(all, product(at, power));
        power = product(power, step);
    }
    return all.re * all.im;
}

void tables(int *ia) {
    ia[0] = 0;
}
