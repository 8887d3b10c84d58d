/* The number of passes is known, but the loop is left before. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double u[2] = {x[0], x[1]};
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < n; t++) {
        if (u[0] > 3.0) break;
        const double old = u[0];
        u[0] = u[0] + 0.2 * u[1] * u[1];
        u[1] = cos(old) + x[2 + t] * u[1];
    }
    return u[0] * u[1];
}

void tables(int *ia) {
    ia[0] = 0;
}
