/* The derivative of a function reads its result, which a store has put into memory that is overwritten later, or in the
   same pass. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double c = 0.0, t[100], e[100];
    for (int i = 0; i < 100; i++) t[i] = 0.1 * x[i];
    for (int k = 0; k < n; k++) e[k] = tanh(t[k]);
    for (int k = 0; k < n; k++) c += w[k] * e[k];
    for (int k = 0; k < n / 2; k++) e[k] = c * w[k];
    for (int k = 0; k < n; k++) {
        t[k] = exp(0.1 * t[k + 1]);
        c += 0.01 * t[k] * e[k];
        t[k] = 0.5;
    }
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
