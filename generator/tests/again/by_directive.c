/* The loop behind the directive is run again. The other one is not: it writes what the caller sees. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = 0.0;
#pragma adjoint again
    for (int i = 0; i < n; i++) {
        double p = sin(x[i]), q = exp(p);
        s += p * q * q;
    }
    for (int i = 0; i < n; i++) {
        double p = sin(2.0 * x[i]), q = exp(p);
        s += p * q * q;
        w[i] = 1.0;
    }
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
