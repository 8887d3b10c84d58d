/* LAPACK's dgesv, or the same in loops, for one right side: these are differentiated line by line. */
#ifdef LINE_BY_LINE
#include <math.h>
static void dgesv_(const int *size, const int *nrhs, double *a, const int *lda, int *pivots, double *b, const int *ldb,
                   int *info) {
    const int n = *size;
    (void)nrhs, (void)lda, (void)ldb;
    *info = 0;
    for (int k = 0; k < n; k++) {
        int row = k;
        for (int i = k + 1; i < n; i++) row = fabs(a[i + k * n]) > fabs(a[row + k * n]) ? i : row;
        pivots[k] = row + 1;
        if (row != k) {
            for (int j = 0; j < n; j++) {
                const double was = a[k + j * n];
                a[k + j * n] = a[row + j * n];
                a[row + j * n] = was;
            }
            const double was = b[k];
            b[k] = b[row];
            b[row] = was;
        }
        for (int i = k + 1; i < n; i++) a[i + k * n] = a[i + k * n] / a[k + k * n];
        for (int j = k + 1; j < n; j++) {
            const double factor = a[k + j * n];
            for (int i = k + 1; i < n; i++) a[i + j * n] -= a[i + k * n] * factor;
        }
        for (int i = k + 1; i < n; i++) b[i] -= a[i + k * n] * b[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        b[k] = b[k] / a[k + k * n];
        for (int i = 0; i < k; i++) b[i] -= a[i + k * n] * b[k];
    }
}
#else
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivots, double *b, const int *ldb, int *info);
#endif
