/* BLAS 2 and 3: matrices of 3 x 3 in arrays with columns of 4, with all options. */
#include "blas.h"

struct options {
    char uplo, trans, diag, side;
    int inc;
};

double f(const struct options *with, double *x, double *y) {
    const int n = 3, two = 2, lead = 4, one = 1, inc = with->inc;
    const char *uplo = &with->uplo, *trans = &with->trans, *diag = &with->diag, *side = &with->side;
    double a[12], b[12], c[12], alpha = 0.5 + 0.1 * x[0], beta = 0.3 * y[0];
    for (int k = 0; k < 12; k++) {
        a[k] = x[k % 8] * (k % 5 == 0 ? 3.0 : 0.2) + (k % 5 == 0);
        b[k] = y[k % 8] + 0.1 * k, c[k] = 0.2 * x[7 - k % 8] - 0.05 * k;
    }
    dgemv_(trans, &n, &two, &alpha, a, &lead, x, &inc, &beta, y, &inc);
    dger_(&two, &n, &alpha, x, &inc, y, &one, c, &lead);
    dsymv_(uplo, &n, &beta, a, &lead, y, &inc, &alpha, x, &one);
    dtrsv_(uplo, trans, diag, &n, a, &lead, x, &inc);
    dtrmv_(uplo, trans, diag, &n, a, &lead, y, &inc);
    dgemm_(trans, "N", &two, &n, &n, &alpha, a, &lead, b, &lead, &beta, c, &lead);
    dgemm_("N", trans, &n, &two, &n, &beta, b, &lead, a, &lead, &alpha, c, &lead);
    dsymm_(side, uplo, &n, &n, &alpha, a, &lead, c, &lead, &beta, b, &lead);
    dsyrk_(uplo, trans, &n, &two, &beta, b, &lead, &alpha, c, &lead);
    dtrsm_(side, uplo, trans, diag, &n, &n, &alpha, a, &lead, c, &lead);
    dtrmm_(side, uplo, trans, diag, &n, &n, &beta, a, &lead, b, &lead);
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += x[k] * y[k] + 0.1 * y[k] * y[k];
    for (int k = 0; k < 12; k++) sum += 0.01 * b[k] * c[k] * (k % 4 != 3) + 0.1 * c[k] * a[k];
    return sum;
}
