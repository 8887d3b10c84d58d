/* A full matrix from parameters, a system of equations a step; the right side is the last solution. */
#include "dense.h"
#include <math.h>

double dense(int n, int steps, const double *p, double *a, double *x, int *pivots) {
    const int one = 1;
    int info;
    double sum = 0.0;
    for (int i = 0; i < n; i++) x[i] = cos(p[i]);
    for (int s = 0; s < steps; s++) {
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                const double apart = i - j;
                a[i + j * n] = (i == j ? 4.0 + x[i] * x[i] : 0.0) + p[i] / (1.0 + apart * apart + p[j] * p[j]);
            }
        }
        dgesv_(&n, &one, a, &n, pivots, x, &n, &info);
    }
    for (int i = 0; i < n; i++) sum += x[i] * x[i] * (1.0 + 0.1 * i);
    return sum;
}
