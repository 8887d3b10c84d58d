/* Derivatives of exp and of 1 / x read the result, so that the operand may be lost. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    (void)w;
    double c = 0.0, t[100];
    for (int k = 0; k < n; k++) {
        t[k] = exp(x[k]);
        x[k] = 2.0 + x[k + 1];
    }
    for (int k = 0; k < n; k++) {
        double r = 1 / x[k];
        x[k] = 0.5;
        c += r + t[k];
    }
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
