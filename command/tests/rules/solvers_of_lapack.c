/* LAPACK: factors that are read, solved with, or left alone. */
#include "blas.h"

struct options {
    char uplo, trans, diag, side;
    int inc;
};

double f(const struct options *with, double *x, double *y) {
    const int n = 3, two = 2, lead = 4, one = 1;
    int pivots[3], info;
    double a[12], b[12], s[12], sum = 0.0;
    for (int k = 0; k < 12; k++) {
        a[k] = x[k % 8] * (k % 5 == 0 ? 0.1 : 1.2) + 0.1 * k;
        s[k] = k % 5 == 0 ? 4.0 + x[k / 5] : 0.2 * x[(k / 4 + 2 * (k % 4)) % 8];
        b[k] = y[k % 8] - 0.1 * k;
    }
    dgesv_(&n, &two, a, &lead, pivots, b, &lead, &info);
    for (int k = 0; k < 3; k++) sum += b[k] * b[4 + k], x[k] = b[k] + 0.5 * x[k];
    if (with->inc > 0) sum += a[5 * with->inc] * a[1];
    for (int k = 0; k < 12; k++) a[k] = x[(k * 3) % 8] * (k % 5 == 0 ? 0.1 : 1.2) + 0.1 * k * y[k % 8];
    dgetrf_(&n, &n, a, &lead, pivots, &info);
    dgetrs_(&with->trans, &n, &one, a, &lead, pivots, x, &lead, &info);
    dgetrs_("N", &n, &two, a, &lead, pivots, b, &lead, &info);
    for (int k = 0; k < 3; k++) sum += a[5 * k] * x[k] * b[k + 4];
    dpotrf_(&with->uplo, &n, s, &lead, &info);
    for (int k = 0; k < 3; k++) sum += s[5 * k] * s[5 * k] * x[k];
    dpotrs_(&with->uplo, &n, &one, s, &lead, x, &lead, &info);
    for (int k = 0; k < 12; k++) s[k] = k % 5 == 0 ? 4.0 + y[k / 5] : 0.2 * y[(k / 4 + 2 * (k % 4)) % 8] * x[k % 3];
    dposv_(&with->uplo, &n, &one, s, &lead, y, &lead, &info);
    for (int k = 0; k < 3; k++) sum += x[k] * y[k] + s[5 * k];
    return info == 0 ? sum : 0.0;
}
