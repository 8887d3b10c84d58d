/* A state of an array and a number, advanced by a known number of steps. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double u[5], decay = 1.0, s = 0.0;
    for (int i = 0; i < 5; i++) u[i] = x[i];
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < n; t++) { for (int i = 0; i < 5; i++) { /* the directive is about the first of both */
            u[i] = decay * sin(u[i] + w[t] * x[5 + i]);
        }
        decay = decay * 0.99;
    }
    for (int i = 0; i < 5; i++) s += u[i] * u[i];
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
