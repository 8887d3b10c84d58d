/* Solvers of banded and symmetric systems in loops, for tests: plain, with the factors that LAPACK leaves. */
#include "solvers.h"
#include <math.h>

static void swap_two(double *one, double *other) {
    const double was = *one;
    *one = *other, *other = was;
}

void dgbsv_(const int *n, const int *kl, const int *ku, const int *nrhs, double *ab, const int *ldab, int *ipiv,
            double *b, const int *ldb, int *info) {
    const int own = *kl + *ku;
#define AB(i, j) ab[own + (i) - (j) + (j) * *ldab]
    *info = 0;
    for (int j = 0; j < *n; j++) {
        for (int i = j - own < 0 ? 0 : j - own; i < j - *ku; i++) AB(i, j) = 0.0;
    }
    for (int k = 0; k < *n; k++) {
        const int last = k + *kl < *n - 1 ? k + *kl : *n - 1, right = k + own < *n - 1 ? k + own : *n - 1;
        int row = k;
        for (int i = k + 1; i <= last; i++) row = fabs(AB(i, k)) > fabs(AB(row, k)) ? i : row;
        ipiv[k] = row + 1;
        for (int j = k; j <= right && row != k; j++) swap_two(&AB(k, j), &AB(row, j));
        for (int c = 0; c < *nrhs && row != k; c++) swap_two(&b[k + c * *ldb], &b[row + c * *ldb]);
        for (int i = k + 1; i <= last; i++) {
            const double factor = AB(i, k) /= AB(k, k);
            for (int j = k + 1; j <= right; j++) AB(i, j) -= factor * AB(k, j);
            for (int c = 0; c < *nrhs; c++) b[i + c * *ldb] -= factor * b[k + c * *ldb];
        }
    }
    for (int c = 0; c < *nrhs; c++) {
        for (int i = *n - 1; i >= 0; i--) {
            for (int j = i + 1; j <= i + own && j < *n; j++) b[i + c * *ldb] -= AB(i, j) * b[j + c * *ldb];
            b[i + c * *ldb] /= AB(i, i);
        }
    }
}

void dpbsv_(const char *uplo, const int *n, const int *kd, const int *nrhs, double *ab, const int *ldab, double *b,
            const int *ldb, int *info) {
    const int upper = *uplo == 'U';
#define L(i, j) ab[upper ? *kd + (j) - (i) + (i) * *ldab : (i) - (j) + (j) * *ldab]
    *info = 0;
    for (int j = 0; j < *n; j++) {
        for (int i = j; i <= j + *kd && i < *n; i++) {
            double sum = L(i, j);
            for (int k = i - *kd < 0 ? 0 : i - *kd; k < j; k++) sum -= L(i, k) * L(j, k);
            L(i, j) = i == j ? sqrt(sum) : sum / L(j, j);
        }
    }
    for (int c = 0; c < *nrhs; c++) {
        double *x = b + c * *ldb;
        for (int i = 0; i < *n; i++) {
            for (int k = i - *kd < 0 ? 0 : i - *kd; k < i; k++) x[i] -= L(i, k) * x[k];
            x[i] /= L(i, i);
        }
        for (int i = *n - 1; i >= 0; i--) {
            for (int k = i + 1; k <= i + *kd && k < *n; k++) x[i] -= L(k, i) * x[k];
            x[i] /= L(i, i);
        }
    }
}

void dgtsv_(const int *n, const int *nrhs, double *dl, double *d, double *du, double *b, const int *ldb, int *info) {
    *info = 0;
    for (int k = 0; k + 1 < *n; k++) {
        double second = 0.0;
        if (fabs(dl[k]) > fabs(d[k])) {
            swap_two(&dl[k], &d[k]), swap_two(&du[k], &d[k + 1]);
            if (k + 2 < *n) second = du[k + 1], du[k + 1] = 0.0;
            for (int c = 0; c < *nrhs; c++) swap_two(&b[k + c * *ldb], &b[k + 1 + c * *ldb]);
        }
        const double factor = dl[k] / d[k];
        d[k + 1] -= factor * du[k];
        if (k + 2 < *n) du[k + 1] -= factor * second, dl[k] = second;
        for (int c = 0; c < *nrhs; c++) b[k + 1 + c * *ldb] -= factor * b[k + c * *ldb];
    }
    for (int c = 0; c < *nrhs; c++) {
        double *x = b + c * *ldb;
        for (int i = *n - 1; i >= 0; i--) {
            if (i + 1 < *n) x[i] -= du[i] * x[i + 1];
            if (i + 2 < *n) x[i] -= dl[i] * x[i + 2];
            x[i] /= d[i];
        }
    }
}

void dptsv_(const int *n, const int *nrhs, double *d, double *e, double *b, const int *ldb, int *info) {
    *info = 0;
    for (int i = 0; i + 1 < *n; i++) {
        const double was = e[i];
        e[i] /= d[i];
        d[i + 1] -= e[i] * was;
    }
    for (int c = 0; c < *nrhs; c++) {
        double *x = b + c * *ldb;
        for (int i = 1; i < *n; i++) x[i] -= e[i - 1] * x[i - 1];
        for (int i = 0; i < *n; i++) x[i] /= d[i];
        for (int i = *n - 2; i >= 0; i--) x[i] -= e[i] * x[i + 1];
    }
}

/* Two rows a block where the first two have a diagonal of 0, else one; no rows are exchanged. */
void dsysv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, double *work, const int *lwork, int *info) {
    const int upper = *uplo == 'U', last = *n - 1;
    *info = 0;
    work[0] = *n;
    if (*lwork == -1) return;
    /* The rows from the end, for the upper triangle: that of the lower one of a mirrored matrix. */
#define A(i, j) a[upper ? last - (i) + (last - (j)) * *lda : (i) + (j) * *lda]
#define X(i) b[(upper ? last - (i) : (i)) + c * *ldb]
    const int two = A(0, 0) == 0.0 ? 2 : 0;
    for (int k = 0; k < *n; k++) {
        const int row = upper ? last - k : k;
        ipiv[row] = k < two ? -(upper ? last : 2) : row + 1;
    }
    for (int i = 2; i < *n && two; i++) {
        const double u = A(i, 0), v = A(i, 1), m = A(1, 0);
        A(i, 0) = (v - u * A(1, 1) / m) / m, A(i, 1) = u / m;
    }
    if (two) {
        double whole[8][2];
        for (int i = 2; i < *n; i++) {
            whole[i][0] = A(i, 0) * A(0, 0) + A(i, 1) * A(1, 0), whole[i][1] = A(i, 0) * A(1, 0) + A(i, 1) * A(1, 1);
        }
        for (int j = 2; j < *n; j++) {
            for (int i = j; i < *n; i++) A(i, j) -= A(i, 0) * whole[j][0] + A(i, 1) * whole[j][1];
        }
    }
    for (int k = two; k < *n; k++) {
        for (int j = k + 1; j < *n; j++) {
            for (int i = j; i < *n; i++) A(i, j) -= A(i, k) * A(j, k) / A(k, k);
        }
        for (int i = k + 1; i < *n; i++) A(i, k) /= A(k, k);
    }
    for (int c = 0; c < *nrhs; c++) {
        for (int k = 0; k < *n; k++) {
            for (int i = k < two ? 2 : k + 1; i < *n; i++) X(i) -= A(i, k) * X(k);
        }
        for (int k = two; k < *n; k++) X(k) /= A(k, k);
        if (two) {
            const double m = A(1, 0), first = (X(1) - A(1, 1) * X(0) / m) / m, second = X(0) / m;
            X(0) = first, X(1) = second;
        }
        for (int k = last; k >= 0; k--) {
            for (int i = k < two ? 2 : k + 1; i < *n; i++) X(k) -= A(i, k) * X(i);
        }
    }
}
