/* The C interface of BLAS over blas.c, by columns or by rows: for tests. */
#include "blas.c"
#include "cblas.h"

static const char *triangle(int order, int uplo) { return (order == CblasRowMajor) != (uplo == CblasUpper) ? "U" : "L"; }
static const char *turned(int order, int trans) { return (order == CblasRowMajor) != (trans == CblasNoTrans) ? "N" : "T"; }
static const char *plain(int trans) { return trans == CblasNoTrans ? "N" : "T"; }
static const char *unit(int diag) { return diag == CblasUnit ? "U" : "N"; }
static const char *placed(int order, int side) { return (order == CblasRowMajor) != (side == CblasLeft) ? "L" : "R"; }

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy) { return ddot_(&n, x, &incx, y, &incy); }
void cblas_daxpy(int n, double a, const double *x, int incx, double *y, int incy) {
    daxpy_(&n, &a, x, &incx, y, &incy);
}
void cblas_dscal(int n, double a, double *x, int incx) { dscal_(&n, &a, x, &incx); }

void cblas_dgemv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, int m, int n, double alpha, const double *a,
                 int lda, const double *x, int incx, double beta, double *y, int incy) {
    const int rows = order == CblasRowMajor;
    dgemv_(turned(order, trans), rows ? &n : &m, rows ? &m : &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);
}

void cblas_dger(enum CBLAS_ORDER order, int m, int n, double alpha, const double *x, int incx, const double *y,
                int incy, double *a, int lda) {
    if (order == CblasRowMajor) dger_(&n, &m, &alpha, y, &incy, x, &incx, a, &lda);
    else dger_(&m, &n, &alpha, x, &incx, y, &incy, a, &lda);
}

void cblas_dsymv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, int n, double alpha, const double *a, int lda,
                 const double *x, int incx, double beta, double *y, int incy) {
    dsymv_(triangle(order, uplo), &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);
}

void cblas_dtrsv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, enum CBLAS_DIAG diag, int n,
                 const double *a, int lda, double *x, int incx) {
    dtrsv_(triangle(order, uplo), turned(order, trans), unit(diag), &n, a, &lda, x, &incx);
}

/* What dger_, daxpy_ and dtrmv_ are to vectors, the reverse sweep calls, too. */
void cblas_dtrmv(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, enum CBLAS_DIAG diag, int n,
                 const double *a, int lda, double *x, int incx) {
    dtrmv_(triangle(order, uplo), turned(order, trans), unit(diag), &n, a, &lda, x, &incx);
}

void cblas_dgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transa, enum CBLAS_TRANSPOSE transb, int m, int n, int k,
                 double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc) {
    if (order == CblasRowMajor) {
        dgemm_(plain(transb), plain(transa), &n, &m, &k, &alpha, b, &ldb, a, &lda, &beta, c, &ldc);
    } else {
        dgemm_(plain(transa), plain(transb), &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
    }
}

void cblas_dsymm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo, int m, int n, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc) {
    const int rows = order == CblasRowMajor;
    dsymm_(placed(order, side), triangle(order, uplo), rows ? &n : &m, rows ? &m : &n, &alpha, a, &lda, b, &ldb, &beta,
           c, &ldc);
}

void cblas_dsyrk(enum CBLAS_ORDER order, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans, int n, int k, double alpha,
                 const double *a, int lda, double beta, double *c, int ldc) {
    dsyrk_(triangle(order, uplo), turned(order, trans), &n, &k, &alpha, a, &lda, &beta, c, &ldc);
}

void cblas_dtrsm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
                 enum CBLAS_DIAG diag, int m, int n, double alpha, const double *a, int lda, double *b, int ldb) {
    const int rows = order == CblasRowMajor;
    dtrsm_(placed(order, side), triangle(order, uplo), plain(trans), unit(diag), rows ? &n : &m, rows ? &m : &n, &alpha,
           a, &lda, b, &ldb);
}

void cblas_dtrmm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE trans,
                 enum CBLAS_DIAG diag, int m, int n, double alpha, const double *a, int lda, double *b, int ldb) {
    const int rows = order == CblasRowMajor;
    dtrmm_(placed(order, side), triangle(order, uplo), plain(trans), unit(diag), rows ? &n : &m, rows ? &m : &n, &alpha,
           a, &lda, b, &ldb);
}
