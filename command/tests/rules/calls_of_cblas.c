/* The C interface: the same memory is a matrix by rows, or by columns. */
#include "cblas.h"

struct options {
    char uplo, trans, diag, side;
    int inc;
};

double f(const struct options *with, double *x, double *y) {
    const enum CBLAS_ORDER order = with->inc < 0 ? CblasRowMajor : CblasColMajor;
    const enum CBLAS_UPLO uplo = with->uplo == 'U' ? CblasUpper : CblasLower;
    const enum CBLAS_TRANSPOSE trans = with->trans == 'N' ? CblasNoTrans : CblasTrans;
    const enum CBLAS_DIAG diag = with->diag == 'U' ? CblasUnit : CblasNonUnit;
    const enum CBLAS_SIDE side = with->side == 'L' ? CblasLeft : CblasRight;
    double a[12], b[12], c[12], alpha = 0.5 + 0.1 * x[0], beta = 0.3 * y[0];
    for (int k = 0; k < 12; k++) {
        a[k] = x[k % 8] * (k % 5 == 0 ? 3.0 : 0.2) + (k % 5 == 0);
        b[k] = y[k % 8] + 0.1 * k, c[k] = 0.2 * x[7 - k % 8] - 0.05 * k;
    }
    double sum = cblas_ddot(4, x, 1, y, 2);
    cblas_daxpy(3, sum, x, 2, y, 1);
    cblas_dscal(4, alpha, y, 1);
    cblas_dgemv(order, trans, 3, 2, alpha, a, 4, x, with->inc, beta, y, 1);
    cblas_dger(order, 2, 3, alpha, x, 1, y, 1, c, 4);
    cblas_dsymv(order, uplo, 3, beta, a, 4, y, 1, alpha, x, with->inc);
    cblas_dtrsv(order, uplo, trans, diag, 3, a, 4, x, 1);
    cblas_dgemm(order, trans, CblasNoTrans, 2, 3, 3, alpha, a, 4, b, 4, beta, c, 4);
    cblas_dgemm(order, CblasNoTrans, trans, 3, 2, 3, beta, b, 4, a, 4, alpha, c, 4);
    cblas_dsymm(order, side, uplo, 3, 3, alpha, a, 4, c, 4, beta, b, 4);
    cblas_dsyrk(order, uplo, trans, 3, 2, beta, b, 4, alpha, c, 4);
    cblas_dtrsm(order, side, uplo, trans, diag, 3, 3, alpha, a, 4, c, 4);
    cblas_dtrmm(order, side, uplo, trans, diag, 3, 3, beta, a, 4, b, 4);
    for (int k = 0; k < 3; k++) sum += x[k] * y[k] + 0.1 * y[k] * y[k];
    for (int k = 0; k < 12; k++) sum += 0.01 * b[k] * c[k] + 0.1 * c[k] * a[k];
    return sum;
}
