/* BLAS and LAPACK in loops, for tests: slow, plain, and their own oracle. Square matrices of getrf only. */
#include <math.h>

static int is(const char *given, char wanted) { return *given == wanted || *given == wanted + 32; }
static int at(int n, int inc, int k) { return inc < 0 ? (k - n + 1) * inc : k * inc; }

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy) {
    double sum = 0.0;
    for (int k = 0; k < *n; k++) sum += x[at(*n, *incx, k)] * y[at(*n, *incy, k)];
    return sum;
}

void daxpy_(const int *n, const double *a, const double *x, const int *incx, double *y, const int *incy) {
    for (int k = 0; k < *n; k++) y[at(*n, *incy, k)] += *a * x[at(*n, *incx, k)];
}

void dscal_(const int *n, const double *a, double *x, const int *incx) {
    for (int k = 0; k < *n; k++) x[k * *incx] *= *a;
}

void dcopy_(const int *n, const double *x, const int *incx, double *y, const int *incy) {
    for (int k = 0; k < *n; k++) y[at(*n, *incy, k)] = x[at(*n, *incx, k)];
}

void dswap_(const int *n, double *x, const int *incx, double *y, const int *incy) {
    for (int k = 0; k < *n; k++) {
        double was = x[at(*n, *incx, k)];
        x[at(*n, *incx, k)] = y[at(*n, *incy, k)];
        y[at(*n, *incy, k)] = was;
    }
}

double dnrm2_(const int *n, const double *x, const int *incx) {
    double sum = 0.0;
    for (int k = 0; k < *n; k++) sum += x[k * *incx] * x[k * *incx];
    return sqrt(sum);
}

double dasum_(const int *n, const double *x, const int *incx) {
    double sum = 0.0;
    for (int k = 0; k < *n; k++) sum += fabs(x[k * *incx]);
    return sum;
}

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy) {
    int plain = is(trans, 'N'), rows = plain ? *m : *n, columns = plain ? *n : *m;
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int j = 0; j < columns; j++) sum += a[plain ? i + j * *lda : j + i * *lda] * x[at(columns, *incx, j)];
        double *to = &y[at(rows, *incy, i)];
        *to = *beta == 0.0 ? *alpha * sum : *alpha * sum + *beta * *to;
    }
}

void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx, const double *y,
           const int *incy, double *a, const int *lda) {
    for (int j = 0; j < *n; j++) {
        for (int i = 0; i < *m; i++) a[i + j * *lda] += *alpha * x[at(*m, *incx, i)] * y[at(*n, *incy, j)];
    }
}

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda, const double *x,
            const int *incx, const double *beta, double *y, const int *incy) {
    for (int i = 0; i < *n; i++) {
        double sum = 0.0;
        for (int j = 0; j < *n; j++) {
            int stored = is(uplo, 'U') ? i <= j : i >= j;
            sum += a[stored ? i + j * *lda : j + i * *lda] * x[at(*n, *incx, j)];
        }
        double *to = &y[at(*n, *incy, i)];
        *to = *beta == 0.0 ? *alpha * sum : *alpha * sum + *beta * *to;
    }
}

/* Element i, j of op(a) for a triangle. */
static double element(const char *uplo, const char *trans, const char *diag, const double *a, int lda, int i, int j) {
    int plain = is(trans, 'N'), row = plain ? i : j, column = plain ? j : i;
    if (row == column) return is(diag, 'U') ? 1.0 : a[row + column * lda];
    return (is(uplo, 'U') ? row < column : row > column) ? a[row + column * lda] : 0.0;
}

void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int *lda,
            double *x, const int *incx) {
    int down = is(uplo, 'L') == is(trans, 'N');
    for (int k = 0; k < *n; k++) {
        int i = down ? k : *n - 1 - k;
        double sum = x[at(*n, *incx, i)];
        for (int l = 0; l < k; l++) {
            int j = down ? l : *n - 1 - l;
            sum -= element(uplo, trans, diag, a, *lda, i, j) * x[at(*n, *incx, j)];
        }
        x[at(*n, *incx, i)] = sum / element(uplo, trans, diag, a, *lda, i, i);
    }
}

void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int *lda,
            double *x, const int *incx) {
    int down = is(uplo, 'L') == is(trans, 'N');
    for (int k = *n - 1; k >= 0; k--) {
        int i = down ? k : *n - 1 - k;
        double sum = 0.0;
        for (int l = 0; l <= k; l++) {
            int j = down ? l : *n - 1 - l;
            sum += element(uplo, trans, diag, a, *lda, i, j) * x[at(*n, *incx, j)];
        }
        x[at(*n, *incx, i)] = sum;
    }
}

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc) {
    for (int j = 0; j < *n; j++) {
        for (int i = 0; i < *m; i++) {
            double sum = 0.0;
            for (int l = 0; l < *k; l++) {
                sum += a[is(transa, 'N') ? i + l * *lda : l + i * *lda] * b[is(transb, 'N') ? l + j * *ldb : j + l * *ldb];
            }
            double *to = &c[i + j * *ldc];
            *to = *beta == 0.0 ? *alpha * sum : *alpha * sum + *beta * *to;
        }
    }
}

void dsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc) {
    int left = is(side, 'L');
    for (int j = 0; j < *n; j++) {
        for (int i = 0; i < *m; i++) {
            double sum = 0.0;
            for (int l = 0; l < (left ? *m : *n); l++) {
                int row = left ? i : l, column = left ? l : j;
                int stored = is(uplo, 'U') ? row <= column : row >= column;
                double one = a[stored ? row + column * *lda : column + row * *lda];
                sum += one * (left ? b[l + j * *ldb] : b[i + l * *ldb]);
            }
            double *to = &c[i + j * *ldc];
            *to = *beta == 0.0 ? *alpha * sum : *alpha * sum + *beta * *to;
        }
    }
}

void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *beta, double *c, const int *ldc) {
    int plain = is(trans, 'N');
    for (int j = 0; j < *n; j++) {
        for (int i = is(uplo, 'U') ? 0 : j; i < (is(uplo, 'U') ? j + 1 : *n); i++) {
            double sum = 0.0;
            for (int l = 0; l < *k; l++) {
                sum += a[plain ? i + l * *lda : l + i * *lda] * a[plain ? j + l * *lda : l + j * *lda];
            }
            double *to = &c[i + j * *ldc];
            *to = *beta == 0.0 ? *alpha * sum : *alpha * sum + *beta * *to;
        }
    }
}

static void scale(int m, int n, double alpha, double *b, int ldb) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) b[i + j * ldb] *= alpha;
    }
}

void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb) {
    int one = 1;
    scale(*m, *n, *alpha, b, *ldb);
    if (is(side, 'L')) {
        for (int j = 0; j < *n; j++) dtrsv_(uplo, transa, diag, m, a, lda, b + j * *ldb, &one);
    } else {
        /* Rows of b: op(a)' of each. */
        for (int i = 0; i < *m; i++) dtrsv_(uplo, is(transa, 'N') ? "T" : "N", diag, n, a, lda, b + i, ldb);
    }
}

void dtrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb) {
    int one = 1;
    scale(*m, *n, *alpha, b, *ldb);
    if (is(side, 'L')) {
        for (int j = 0; j < *n; j++) dtrmv_(uplo, transa, diag, m, a, lda, b + j * *ldb, &one);
    } else {
        for (int i = 0; i < *m; i++) dtrmv_(uplo, is(transa, 'N') ? "T" : "N", diag, n, a, lda, b + i, ldb);
    }
}

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info) {
    *info = *m != *n;
    for (int k = 0; k < *n && *info == 0; k++) {
        int row = k;
        for (int i = k + 1; i < *n; i++) row = fabs(a[i + k * *lda]) > fabs(a[row + k * *lda]) ? i : row;
        ipiv[k] = row + 1;
        for (int j = 0; j < *n && row != k; j++) {
            double was = a[k + j * *lda];
            a[k + j * *lda] = a[row + j * *lda];
            a[row + j * *lda] = was;
        }
        for (int i = k + 1; i < *n; i++) {
            a[i + k * *lda] /= a[k + k * *lda];
            for (int j = k + 1; j < *n; j++) a[i + j * *lda] -= a[i + k * *lda] * a[k + j * *lda];
        }
    }
}

void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *ipiv,
             double *b, const int *ldb, int *info) {
    int plain = is(trans, 'N'), one = 1;
    *info = 0;
    for (int j = 0; j < *nrhs; j++) {
        double *x = b + j * *ldb;
        if (!plain) dtrsv_("U", "T", "N", n, a, lda, x, &one), dtrsv_("L", "T", "U", n, a, lda, x, &one);
        for (int k = 0; k < *n; k++) {
            int i = plain ? k : *n - 1 - k, row = ipiv[i] - 1;
            double was = x[i];
            x[i] = x[row], x[row] = was;
        }
        if (plain) dtrsv_("L", "N", "U", n, a, lda, x, &one), dtrsv_("U", "N", "N", n, a, lda, x, &one);
    }
}

void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info) {
    dgetrf_(n, n, a, lda, ipiv, info);
    if (*info == 0) dgetrs_("N", n, nrhs, a, lda, ipiv, b, ldb, info);
}

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info) {
    int upper = is(uplo, 'U');
    *info = 0;
    for (int j = 0; j < *n; j++) {
        for (int i = j; i < *n; i++) {
            double sum = a[upper ? j + i * *lda : i + j * *lda];
            for (int k = 0; k < j; k++) {
                sum -= upper ? a[k + i * *lda] * a[k + j * *lda] : a[i + k * *lda] * a[j + k * *lda];
            }
            a[upper ? j + i * *lda : i + j * *lda] = i == j ? sqrt(sum) : sum / a[j + j * *lda];
        }
    }
}

void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
             const int *ldb, int *info) {
    int upper = is(uplo, 'U'), one = 1;
    *info = 0;
    for (int j = 0; j < *nrhs; j++) {
        dtrsv_(uplo, upper ? "T" : "N", "N", n, a, lda, b + j * *ldb, &one);
        dtrsv_(uplo, upper ? "N" : "T", "N", n, a, lda, b + j * *ldb, &one);
    }
}

void dposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
            int *info) {
    dpotrf_(uplo, n, a, lda, info);
    if (*info == 0) dpotrs_(uplo, n, nrhs, a, lda, b, ldb, info);
}
