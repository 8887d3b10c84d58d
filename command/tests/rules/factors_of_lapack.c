/* LAPACK: factors of banded and symmetric matrices that are used twice and read, and symmetric eigenvalues. */
void dgbtrf_(const int *m, const int *n, const int *kl, const int *ku, double *ab, const int *ldab, int *ipiv, int *info);
void dgbtrs_(const char *trans, const int *n, const int *kl, const int *ku, const int *nrhs, const double *ab,
             const int *ldab, const int *ipiv, double *b, const int *ldb, int *info);
void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work, const int *lwork,
             int *info);
void dsytrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, const int *ipiv, double *b,
             const int *ldb, int *info);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info);

struct options {
    char uplo, trans, jobz;
    int n, pairs;
};

static double number(const double *x, int k) { return x[k % 8] * x[(3 * k + 1) % 8] + 0.3 * x[(5 * k) % 8]; }

/* kl = 2, ku = 1; b has two columns, and one row more than it needs. */
static double banded(const struct options *with, const double *x, double *b) {
    const int n = with->n, kl = 2, ku = 1, rows = 7, two = 2, one = 1, lead = n + 1;
    double ab[7 * 80], sum = 0.0;
    int pivots[80], info;
    for (int k = 0; k < 7 * n; k++) ab[k] = number(x, k) + 0.1 * (k % 11);
    dgbtrf_(&n, &n, &kl, &ku, ab, &rows, pivots, &info);
    dgbtrs_(&with->trans, &n, &kl, &ku, &two, ab, &rows, pivots, b, &lead, &info);
    for (int k = 0; k < n; k++) sum += b[k] * b[lead + k] / n;
    dgbtrs_(&with->trans, &n, &kl, &ku, &one, ab, &rows, pivots, b, &lead, &info);
    for (int k = 0; k < n; k++) sum += b[k] * x[k % 8] / n;
    for (int k = 0; k < n; k++) sum += 0.1 * (ab[3 + 7 * k] + ab[4 + 7 * k] * ab[2 + 7 * k]);
    return sum;
}

/* `pairs`: a diagonal of 0 makes blocks of two. */
static double symmetric(const struct options *with, const double *x, double *b) {
    const int n = with->n, lda = n + 1, two = 2, one = 1, ask = -1, size = 64 * 80, lead = n + 1;
    double a[81 * 80], work[64 * 80];
    double sum = 0.0;
    int pivots[80], info;
    for (int k = 0; k < lda * n; k++) a[k] = number(x, k + 3) / (1.0 + 0.01 * k);
    for (int k = 0; k < n; k++) a[k + k * lda] = with->pairs ? 0.0 : 3.0 * x[k % 8] * (k % 3 - 1);
    dsytrf_(&with->uplo, &n, a, &lda, pivots, work, &ask, &info);
    dsytrf_(&with->uplo, &n, a, &lda, pivots, work, &size, &info);
    dsytrs_(&with->uplo, &n, &two, a, &lda, pivots, b, &lead, &info);
    for (int k = 0; k < n; k++) sum += b[k] * b[lead + k] / n;
    dsytrs_(&with->uplo, &n, &one, a, &lda, pivots, b, &lead, &info);
    for (int k = 0; k < n; k++) sum += b[k] * x[k % 8] / n;
    for (int k = 0; k < lda * n; k++) sum += a[k] * a[k] / (n * n);
    return sum;
}

static double eigenvalues(const struct options *with, const double *x) {
    const int n = with->n, lda = n + 1, ask = -1, size = 64 * 80;
    double a[81 * 80], work[64 * 80];
    double w[80], sum = 0.0;
    int info;
    for (int k = 0; k < lda * n; k++) a[k] = number(x, k + 1);
    for (int k = 0; k < n; k++) a[k + k * lda] += 0.5 * k;
    dsyev_(&with->jobz, &with->uplo, &n, a, &lda, w, work, &ask, &info);
    dsyev_(&with->jobz, &with->uplo, &n, a, &lda, w, work, &size, &info);
    for (int k = 0; k < n; k++) sum += w[k] * w[k] * x[k % 8] / (k + 1);
    if (with->jobz == 'V') {
        for (int k = 0; k < n * lda; k++) sum += k % lda < n ? a[k] * a[k] * x[k % 8] : a[k];
    }
    return sum;
}

double f(const struct options *with, const double *x) {
    double b[2 * 81], sum;
    for (int k = 0; k < 2 * with->n + 2; k++) b[k] = number(x, 2 * k);
    sum = banded(with, x, b);
    sum += symmetric(with, x, b);
    return sum + eigenvalues(with, x);
}
