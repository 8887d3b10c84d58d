/* What has the rules of spoilt.h: y = exp(x), squares, products. */
#include "spoilt.h"
#include <math.h>

static void exponentials(int n, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] = exp(x[i]);
}

static void exponentials_rev(int n, double *x_b, const double *y, double *y_b) {
    for (int i = 0; i < n; i++) {
        if (x_b) x_b[i] += y[i] * y_b[i];
        y_b[i] = 0.0;
    }
}

#define EXPONENTIALS(name) \
    void name(int n, const double *x, double *y) { exponentials(n, x, y); }
#define DERIVATIVE(name) \
    void name##_rev(int n, const double *x, double *x_b, double *y, double *y_b) { (void)x, exponentials_rev(n, x_b, y, y_b); }

void writes_more(int n, const double *x, double *y) {
    exponentials(n, x, y);
    y[n] = 3.0;
}
DERIVATIVE(writes_more)
EXPONENTIALS(reads_more)
DERIVATIVE(reads_more)
EXPONENTIALS(writes_less)
DERIVATIVE(writes_less)
EXPONENTIALS(needs_more)
DERIVATIVE(needs_more)

void needs_before(int n, double *x) {
    for (int i = 0; i < n; i++) x[i] *= x[i];
}
void needs_before_rev(int n, double *x, double *x_b) {
    for (int i = 0; i < n; i++) x_b[i] *= 2.0 * x[i];
}

EXPONENTIALS(sets)
void sets_rev(int n, const double *x, double *x_b, double *y, double *y_b) {
    for (int i = 0; i < n && x_b; i++) x_b[i] = 0.0;
    sets(0, x, y);
    exponentials_rev(n, x_b, y, y_b);
}

EXPONENTIALS(clears_nothing)
void clears_nothing_rev(int n, const double *x, double *x_b, double *y, double *y_b) {
    (void)x;
    for (int i = 0; i < n && x_b; i++) x_b[i] += y[i] * y_b[i];
}

EXPONENTIALS(doubles)
void doubles_rev(int n, const double *x, double *x_b, double *y, double *y_b) {
    for (int i = 0; i < n && x_b; i++) x_b[i] += y[i] * y_b[i];
    (void)x, exponentials_rev(n, x_b, y, y_b);
}
void doubles_d(int n, const double *x, const double *x_d, double *y, double *y_d) {
    exponentials(n, x, y);
    for (int i = 0; i < n; i++) y_d[i] = x_d ? y[i] * x_d[i] : 0.0;
}

EXPONENTIALS(triples)
DERIVATIVE(triples)
void triples_d(int n, const double *x, const double *x_d, double *y, double *y_d) {
    exponentials(n, x, y);
    for (int i = 0; i < n; i++) y_d[i] = x_d ? 3.0 * y[i] * x_d[i] : 0.0;
}

EXPONENTIALS(clears_more)
void clears_more_rev(int n, const double *x, double *x_b, double *y, double *y_b) {
    (void)x, exponentials_rev(n, x_b, y, y_b);
    y_b[n] = 0.0;
}

static double inner(int n, const double *x, const double *z) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * z[i];
    return sum;
}
double wants_all(int n, const double *x, const double *z) { return inner(n, x, z); }
void wants_all_rev(int n, const double *x, double *x_b, const double *z, double *z_b, double wants_all_b) {
    for (int i = 0; i < n; i++) {
        if (x_b) x_b[i] += z[i] * wants_all_b;
        z_b[i] += x[i] * wants_all_b;
    }
}
double needs_for_both(int n, const double *x, const double *z) { return inner(n, x, z); }
void needs_for_both_rev(int n, const double *x, double *x_b, const double *z, double *z_b, double needs_for_both_b) {
    for (int i = 0; i < n; i++) {
        if (x_b) x_b[i] += z[i] * needs_for_both_b;
        if (z_b) z_b[i] += x[i] * needs_for_both_b;
    }
}

void counts(int n, const double *x, double *y) {
    static int calls;
    exponentials(n, x, y);
    y[0] += ++calls;
}
DERIVATIVE(counts)

/* Right for two arrays, wrong for one. */
void takes_two(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] *= x[i] = exp(x[i]);
}
void takes_two_rev(int n, double *x, double *x_b, double *y, double *y_b) {
    for (int i = 0; i < n; i++) {
        if (x_b && y_b) x_b[i] = x_b[i] * x[i] + y_b[i] * y[i];
        if (y_b) y_b[i] *= x[i];
    }
}

/* What it leaves where it fails has no derivative. */
void fails(int n, double *x, int *info) {
    *info = x[0] > 0.0;
    for (int i = 0; i < n; i++) x[i] = *info ? 1.0 : x[i] * x[i];
}
void fails_rev(int n, double *x, double *x_b, int *info) {
    (void)info;
    for (int i = 0; i < n; i++) x_b[i] *= 2.0 * x[i];
}
