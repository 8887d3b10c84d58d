/* The loop behind the directive is run again, the other one is not. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double s = 0.0;
#pragma adjoint again
    for (int i = 0; i < n; i++) {
        double p = sin(x[i]), q = exp(p);
        s += p * q * q;
    }
    for (int i = 0; i < n; i++) {
        double p = sin(2.0 * x[i]), q = exp(p);
        s += p * q * q;
    }
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
