/* LAPACK's dpbsv, or the same in loops, for the lower triangle and one right side. */
#ifdef LINE_BY_LINE
#include <math.h>
static void dpbsv_(const char *uplo, const int *size, const int *width, const int *nrhs, double *a, const int *lead,
                   double *b, const int *ldb, int *info) {
    const int n = *size, kd = *width, ld = *lead;
    (void)uplo, (void)nrhs, (void)ldb;
    *info = 0;
    for (int j = 0; j < n; j++) {
        const int below = kd < n - 1 - j ? kd : n - 1 - j;
        const double d = sqrt(a[j * ld]);
        a[j * ld] = d;
        for (int i = 1; i <= below; i++) a[i + j * ld] = a[i + j * ld] / d;
        for (int c = 1; c <= below; c++) {
            const double factor = a[c + j * ld];
            for (int i = c; i <= below; i++) a[i - c + (j + c) * ld] -= factor * a[i + j * ld];
        }
    }
    for (int j = 0; j < n; j++) {
        const int below = kd < n - 1 - j ? kd : n - 1 - j;
        b[j] = b[j] / a[j * ld];
        for (int i = 1; i <= below; i++) b[j + i] -= a[i + j * ld] * b[j];
    }
    for (int j = n - 1; j >= 0; j--) {
        const int below = kd < n - 1 - j ? kd : n - 1 - j;
        double sum = b[j];
        for (int i = 1; i <= below; i++) sum -= a[i + j * ld] * b[j + i];
        b[j] = sum / a[j * ld];
    }
}
#else
void dpbsv_(const char *uplo, const int *n, const int *kd, const int *nrhs, double *a, const int *lda, double *b,
            const int *ldb, int *info);
#endif
