/* Pointers that a condition chooses. */
#include <math.h>
#include <stddef.h>

double f_taken(int n, double *x, int *ia, double *w) {
    double sum = 0.0, *p = x;
    (void)ia;
    for (int i = 0; i < n; i++) {
        p[0] = 2.0 * p[0] * p[0] + 1.0;
        sum += 3.0 * p[1];
        p = i % 2 == 0 ? w + 1 : x;
    }
    return sum;
}

/* The adjoint needs the shadow alone. */
double f_linear(int n, double *x, int *ia, double *w) {
    double sum = 0.0, *p = x;
    for (int i = 0; i < n; i++) {
        p[0] = 2.0 * p[0] + 1.0;
        sum += 3.0 * p[1];
        p = ia[i % 3] == 0 ? w + 1 : x;
    }
    return sum;
}

double f_nested(int n, double *x, int *ia, double *w) {
    double local[4] = {x[0], x[1] * x[1], w[0], x[2]}, sum = 0.0;
    double *p = x, *q = w;
    for (int i = 0; i < n; i++) {
        double *r = (i == 1 ? q : (i == 2 ? local : p)) + 1;
        r[0] *= sin(r[1]);
        sum += r[0] * r[0];
        p = ia[i % 3] > 1 ? r : local;
        q = x[0] > 5.0 ? p : w + (i > 1 ? 1 : 2);
    }
    return sum + local[1];
}

double f_of_two(int n, double *x, int *ia, double *w) {
    double *low = x[0] < x[1] ? x : x + 1, *high = ia[0] > 0 ? w : x + 2;
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double *here = low[0] * i > 0.8 ? low : high;
        here[0] = here[0] * here[1] + low[0];
        sum += here[0];
        low = high;
        high = here;
    }
    return sum * n;
}

/* Functions that give a constant of their own. */
struct light { double x, y, z; };
static const struct light *usual(void) {
    static const struct light light = {0.9642, 1.0, 0.8249};
    return &light;
}

static const double *row(const double *x, int i) {
    static const double none[2] = {0.5, 1.0};
    return i < 0 ? none : x + i;
}

static double scaled(const struct light *white, const double *lab) {
    if (!white) white = usual();
    return white->x * lab[0] * white->z + white->y * lab[1] * lab[0];
}

static const struct light *other(int k) { return k ? usual() : NULL; }

double f_default(int n, double *x, int *ia, double *w) {
    struct light mine = {x[0] * x[1], x[2], x[1]};
    double s = 0;
    for (int i = 0; i < n; i++) s += scaled(ia[i] ? NULL : &mine, x + i) * scaled(usual(), w) + scaled(other(ia[i]), x);
    return s;
}

double f_rows(int n, double *x, int *ia, double *w) {
    double s = 1;
    (void)ia;
    (void)w;
    for (int i = -1; i < n; i++) {
        const double *r = row(x, i - 1);
        s += r[0] * r[1] * s;
        x[0] *= s;
    }
    return s;
}

double f_moving(int n, double *x, int *ia, double *w) {
    const double *p = row(x, -1);
    double s = 1;
    (void)w;
    for (int i = 0; i < n; i++) {
        s *= 1 + p[0] * p[1] * s;
        p = row(x, ia[i] - 1 + i / 2);
    }
    return s;
}
