/* BLAS's dgemm, or the same in loops, for c = a b. */
#ifdef LINE_BY_LINE
static void dgemm_(const char *transa, const char *transb, const int *rows, const int *columns, const int *inner,
                   const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                   const double *beta, double *c, const int *ldc) {
    const int m = *rows, n = *columns, k = *inner;
    (void)transa, (void)transb, (void)alpha, (void)beta, (void)lda, (void)ldb, (void)ldc;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) c[i + j * m] = 0.0;
        for (int l = 0; l < k; l++) {
            for (int i = 0; i < m; i++) c[i + j * m] += a[i + l * m] * b[l + j * k];
        }
    }
}
#else
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
#endif
