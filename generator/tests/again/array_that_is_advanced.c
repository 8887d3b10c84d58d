/* All of an array is stored in front of each pass, because the pass reads it before it overwrites it. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static void advance(int n, double *v, const double *x) {
    double old = v[0];
    for (int k = 0; k < n; k++) {
        double next = k + 1 < n ? v[k + 1] : old;
        v[k] = v[k] * cos(next) + 0.1 * x[k] * v[k] * v[k];
    }
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double v[5];
    for (int k = 0; k < 5; k++) v[k] = 0.1 * x[k] + 0.2 * w[k];
    for (int step = 0; step < n; step++) advance(5, v, x);
    double s = 0.0;
    for (int k = 0; k < 5; k++) s += v[k] * v[k];
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
