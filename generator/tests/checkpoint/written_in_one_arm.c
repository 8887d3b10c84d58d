/* Which elements a pass overwrites depends on what it computes: the snapshot has them all. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    double u[8], s = 0.0;
    for (int i = 0; i < 8; i++) u[i] = x[i];
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < n; t++) {
        for (int i = 0; i < 8; i++) {
            if (u[i] * w[t] > 0.4) {
                u[i] = u[i] * cos(x[t]);
            } else {
                u[ia[t]] = u[ia[t]] + 0.1 * x[t] * u[i];
            }
        }
    }
    for (int i = 0; i < 8; i++) s += u[i] * u[i];
    return s;
}

void tables(int *ia) {
    for (int i = 0; i < 640; i++) ia[i] = i * 5 % 8;
}
