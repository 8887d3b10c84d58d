/* Each step overwrites an element that earlier steps, and no later ones, read. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    for (int k = 0; k < n; k++) {
        for (int l = k; l < n; l++) c += 1e-3 * t[l] * t[l];
        t[k] = c;
    }
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
