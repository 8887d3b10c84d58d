/* Loops that overwrite one element after the other, reading elements ahead, reading those that a pass before has
 * overwritten, and without any pass. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    for (int k = 0; k < n; k++) c += t[k] * t[k];
    for (int k = 2; k <= n; k++) t[k] = w[k] + 0.1 * t[2];
    for (int k = 0; k < n; k++) c += t[k] * t[k + 1];
    for (int k = 0; k < n; k++) t[k] = t[k] * t[k + 1];
    for (int k = 1; k < n; k++) t[k] = t[k] * t[k - 1];
    for (int k = n; k < n - 2; k++) t[k] = 3.0;
    for (int k = 0; k < n; k++) c += sin(t[k]);
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
