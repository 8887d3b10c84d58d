/* A function has two names for one array: what it overwrites by one of them it has read by the other. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static double both(int n, const double *a, double *b) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        s += a[i] * a[i];
        b[n - 1 - i] = 0.5 * b[n - 1 - i] + 0.1 * s;
    }
    return s;
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    c = both(n, t, t);
    return c + t[1] * t[2];
}

void tables(int *ia) {
    ia[0] = 0;
}
