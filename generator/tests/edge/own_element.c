/* Loops that overwrite one element after the other, and read behind the store: the element itself, the next one. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double c = 0.0, scale = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    for (int k = 0; k < n; k++) scale += fabs(t[k]);
    for (int k = 0; k < n; k++) {
        t[k] /= scale;
        c += t[k] * t[k];
    }
    for (int k = 0; k < n; k++) {
        t[k] = w[k] * sin(t[k]);
        c += t[k + 1] * t[k + 1];
    }
    for (int k = 0; k < n; k++) c += t[k] * t[k];
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
