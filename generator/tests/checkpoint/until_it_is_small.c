/* Nobody knows in front of the loop how often it runs. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)w;
    double u = 2.0 + x[0], v[3] = {x[1], x[2], x[3]};
    int k = 0;
#pragma adjoint checkpoint snapshots=2
    while (u * u > 0.5 && k < 3 * n) {
        u = 0.9 * u + 0.02 * sin(v[k % 3]);
        v[k % 3] = v[k % 3] * cos(u);
        k++;
    }
    ia[1] = k;
    return u * v[0] + v[1] * v[2];
}

void tables(int *ia) {
    ia[0] = 0;
}
