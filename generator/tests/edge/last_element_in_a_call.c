/* A called function overwrites the last element that a loop read. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static void put(int m, double *o, double s) {
    for (int i = m - 1; i < m; i++) o[i] = s;
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    for (int i = 0; i < n; i++) c += t[i] * t[i];
    put(n, &t[0], c);
    c += t[n - 1] * t[0];
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
