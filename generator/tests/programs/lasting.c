/* What the first call fills, at file scope or behind an argument, is still there when the adjoint runs again. */
#include <math.h>

static int first = 1;
static double table[4];

static double weighted(int n, const double *x) {
    if (first) {
        for (int i = 0; i < 4; i++) table[i] = 1.0 / (i + 1.0);
        first = 0;
    }
    double s = 0.0;
    for (int i = 0; i < n; i++) s += table[i % 4] * sin(x[i]);
    return s;
}

double f_twice(int n, double *x, int *ia, double *w) {
    (void)ia;
    (void)w;
    double s = weighted(n, x);
    return s * weighted(n - 1, x);
}

static double own(int n, const double *x) {
    static int ready;
    static double table[4];
    if (!ready) {
        for (int i = 0; i < 4; i++) table[i] = 2.0 + i;
        ready = 1;
    }
    double s = 0.0;
    for (int i = 0; i < n; i++) s += table[i % 4] * x[i] * x[i];
    return s;
}

double f_own(int n, double *x, int *ia, double *w) {
    (void)ia;
    (void)w;
    double s = own(n, x);
    return s * own(n - 1, x);
}

static double given(int n, const double *x, int *done, double *table) {
    if (*done != 3) {
        for (int i = 0; i < 4; i++) table[i] = 0.5 + i;
        *done = 3;
    }
    double s = 0.0;
    for (int i = 0; i < n; i++) s += table[i % 4] * x[i] * x[i];
    return s;
}

double f_given(int n, double *x, int *ia, double *w) {
    double s = given(n, x, ia, w);
    return s * given(n - 1, x, ia, w);
}
