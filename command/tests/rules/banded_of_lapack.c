/* LAPACK: solvers of banded and symmetric systems, with two right sides and room beside the matrices. */
#include "solvers.h"

struct options {
    char uplo, trans, diag, side;
    int inc;
};

double f(const struct options *with, double *x, double *y) {
    const int n = 5, two = 2, one = 1, lead = 6, rows = 8, ask = -1, size = 10;
    double ab[40], b[12], d[5], e[4], u[4], a[30], work[10], sum = 0.0;
    int pivots[5], info;
    for (int k = 0; k < 40; k++) ab[k] = 0.3 * x[k % 8] - 0.2 * y[(3 * k) % 8] + 0.01 * k;
    for (int k = 0; k < 12; k++) b[k] = y[k % 8] * x[(k * 5) % 8] - 0.1 * k;
    dgbsv_(&n, &two, &one, &two, ab, &rows, pivots, b, &lead, &info);
    for (int k = 0; k < 5; k++) sum += b[k] * b[6 + k];
    for (int k = 0; k < 40; k++) ab[k] = 0.1 * x[(k + 1) % 8];
    for (int k = 0; k < 5; k++) ab[k * 8 + (with->uplo == 'U' ? 2 : 0)] = 4.0 + x[k] * x[k];
    dpbsv_(&with->uplo, &n, &two, &two, ab, &rows, b, &lead, &info);
    for (int k = 0; k < 5; k++) sum += b[k] * b[6 + k];
    for (int k = 0; k < 5; k++) d[k] = k % 2 == 0 ? 0.2 * x[k] : 1.5 + y[k];
    for (int k = 0; k < 4; k++) e[k] = 0.7 + y[k] * x[k + 1], u[k] = 0.4 - x[k];
    dgtsv_(&n, &two, e, d, u, b, &lead, &info);
    for (int k = 0; k < 5; k++) sum += b[k] * b[6 + k];
    for (int k = 0; k < 5; k++) d[k] = 3.0 + x[k] * y[k];
    for (int k = 0; k < 4; k++) e[k] = 0.7 * y[k];
    dptsv_(&n, &one, d, e, b, &lead, &info);
    for (int k = 0; k < 5; k++) sum += b[k] * x[k];
    for (int k = 0; k < 30; k++) a[k] = k % 7 == 0 ? 2.0 - x[k / 7] : 0.3 * x[k % 8] + 0.1 * y[(2 * k) % 8];
    for (int k = 0; k < 5 && with->inc > 0; k++) a[7 * (k == 4 ? 4 : 0)] = 0.0;
    dsysv_(&with->uplo, &n, &two, a, &lead, pivots, b, &lead, work, &ask, &info);
    dsysv_(&with->uplo, &n, &two, a, &lead, pivots, b, &lead, work, &size, &info);
    for (int k = 0; k < 5; k++) sum += b[k] * b[6 + k] * y[k];
    return info == 0 ? sum : 0.0;
}
