/* The first and the last element that a loop wrote and read are overwritten behind it. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    for (int i = 0; i < n; i++) {
        t[i] = x[i];
        c += t[i] * t[i];
    }
    t[0] = x[9];
    t[n - 1] = x[8];
    c += t[0] * t[n - 1];
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
