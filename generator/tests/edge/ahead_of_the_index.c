/* An iteration overwrites an element that a later one reads, two steps ahead. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    for (int k = 0; k < n; k++) {
        c += t[k + 1] * t[k + 1];
        t[k + 3] = sin(c * t[k]);
    }
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
