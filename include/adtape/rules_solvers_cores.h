/* adtape/rules_solvers_cores.h: reverse steps of LAPACK's solvers of banded and symmetric systems, for one type of
 * numbers. rules_solvers.h includes it once for each type, behind ADTAPE_T and ADTAPE_N(name), as rules_blas_cores.h.
 *
 * a x = b: b_b = a'^-1 b_b, and a_b = -b_b x' where a has elements. The factors that a routine leaves have no
 * derivative here: what reads them with one ends the program. Source: the reference of LAPACK for the storage of factors. */

/* Ends the program if factors have an adjoint; it is 0 where only the routine's kin reads them. */
static inline void ADTAPE_N(no_adjoint)(int rows, int columns, const ADTAPE_T *a_b, int lda, const char *name) {
    for (int j = 0; j < columns && a_b; j++) {
        for (int i = 0; i < rows; i++) {
            if (a_b[i + (int64_t)j * lda] == 0) continue;
            fprintf(stderr, "adtape: the factors that %s leaves are read with a derivative, which its rule lacks\n", name);
            abort();
        }
    }
}

/* b = a'^-1 b by the factors of gbtrf: u has kl + ku diagonals above its own, l has kl below. */
static inline void ADTAPE_N(band_transposed)(int n, int kl, int ku, const ADTAPE_T *ab, int ldab, const int *ipiv,
                                             ADTAPE_T *b) {
    const int own = kl + ku;
    for (int j = 0; j < n; j++) {
        const ADTAPE_T *const column = ab + (int64_t)j * ldab + own - j;
        ADTAPE_T sum = b[j];
        for (int i = j > own ? j - own : 0; i < j; i++) sum -= column[i] * b[i];
        b[j] = sum / column[j];
    }
    for (int j = n - 2; j >= 0; j--) {
        const ADTAPE_T *const column = ab + (int64_t)j * ldab + own - j;
        const int to = j + kl < n - 1 ? j + kl : n - 1, row = ipiv[j] - 1;
        ADTAPE_T sum = b[j];
        for (int i = j + 1; i <= to; i++) sum -= column[i] * b[i];
        b[j] = b[row];
        b[row] = sum;
    }
}

static inline void ADTAPE_N(gbsv_rev)(int n, int kl, int ku, int nrhs, const ADTAPE_T *ab, ADTAPE_T *ab_b, int ldab,
                                      const int *ipiv, const ADTAPE_T *b, ADTAPE_T *b_b, int ldb, const char *name) {
    ADTAPE_N(no_adjoint)(2 * kl + ku + 1, n, ab_b, ldab, name);
    for (int k = 0; k < nrhs && b_b; k++) {
        ADTAPE_T *const g = b_b + (int64_t)k * ldb;
        const ADTAPE_T *const x = b + (int64_t)k * ldb;
        ADTAPE_N(band_transposed)(n, kl, ku, ab, ldab, ipiv, g);
        for (int j = 0; j < n && ab_b; j++) {
            ADTAPE_T *const column = ab_b + (int64_t)j * ldab + kl + ku - j;
            const int to = j + kl < n - 1 ? j + kl : n - 1;
            for (int i = j > ku ? j - ku : 0; i <= to; i++) column[i] -= g[i] * x[j];
        }
    }
}

/* b = a^-1 b by the factors of pbtrf: l l', or u' u. */
static inline void ADTAPE_N(band_positive)(int upper, int n, int kd, const ADTAPE_T *ab, int ldab, ADTAPE_T *b) {
    for (int j = 0; j < n; j++) {
        /* The column of u, or the row of l: at[i - j] is element i. */
        const ADTAPE_T *const at = upper ? ab + kd + (int64_t)j * ldab : ab + (int64_t)j * ldab;
        const int from = j > kd ? j - kd : 0, to = j + kd < n - 1 ? j + kd : n - 1;
        if (upper) {
            ADTAPE_T sum = b[j];
            for (int i = from; i < j; i++) sum -= at[i - j] * b[i];
            b[j] = sum / at[0];
        } else {
            b[j] /= at[0];
            for (int i = j + 1; i <= to; i++) b[i] -= at[i - j] * b[j];
        }
    }
    for (int j = n - 1; j >= 0; j--) {
        const ADTAPE_T *const at = upper ? ab + kd + (int64_t)j * ldab : ab + (int64_t)j * ldab;
        const int from = j > kd ? j - kd : 0, to = j + kd < n - 1 ? j + kd : n - 1;
        if (upper) {
            b[j] /= at[0];
            for (int i = from; i < j; i++) b[i] -= at[i - j] * b[j];
        } else {
            ADTAPE_T sum = b[j];
            for (int i = j + 1; i <= to; i++) sum -= at[i - j] * b[i];
            b[j] = sum / at[0];
        }
    }
}

static inline void ADTAPE_N(pbsv_rev)(char uplo, int n, int kd, int nrhs, const ADTAPE_T *ab, ADTAPE_T *ab_b, int ldab,
                                      const ADTAPE_T *b, ADTAPE_T *b_b, int ldb, const char *name) {
    const int upper = ADTAPE_N(is)(uplo, 'U');
    ADTAPE_N(no_adjoint)(kd + 1, n, ab_b, ldab, name);
    for (int k = 0; k < nrhs && b_b; k++) {
        ADTAPE_T *const g = b_b + (int64_t)k * ldb;
        const ADTAPE_T *const x = b + (int64_t)k * ldb;
        ADTAPE_N(band_positive)(upper, n, kd, ab, ldab, g);
        for (int j = 0; j < n && ab_b; j++) {
            ADTAPE_T *const at = upper ? ab_b + kd + (int64_t)j * ldab : ab_b + (int64_t)j * ldab;
            const int from = upper ? (j > kd ? j - kd : 0) : j + 1, to = upper ? j - 1 : (j + kd < n - 1 ? j + kd : n - 1);
            for (int i = from; i <= to; i++) at[i - j] -= g[i] * x[j] + g[j] * x[i];
            at[0] -= g[j] * x[j];
        }
    }
}

/* b = a'^-1 b of a tridiagonal matrix, with rows exchanged as gtsv does: three numbers a row are in work. */
static inline void ADTAPE_N(tridiagonal_transposed)(int n, const ADTAPE_T *dl, const ADTAPE_T *d, const ADTAPE_T *du,
                                                    ADTAPE_T *work, ADTAPE_T *b) {
    /* Row i of a': du[i - 1], d[i], dl[i]. */
    ADTAPE_T first = d[0], second = n > 1 ? dl[0] : 0, third = 0;
    for (int i = 0; i + 1 < n; i++) {
        ADTAPE_T *const row = work + 3 * (int64_t)i;
        ADTAPE_T below[3] = {du[i], d[i + 1], i + 2 < n ? dl[i + 1] : 0}, rest = b[i + 1];
        const ADTAPE_T size = first < 0 ? -first : first, other = below[0] < 0 ? -below[0] : below[0];
        if (other > size) {
            const ADTAPE_T was[4] = {first, second, third, b[i]};
            first = below[0], second = below[1], third = below[2], b[i] = rest;
            below[0] = was[0], below[1] = was[1], below[2] = was[2], rest = was[3];
        }
        const ADTAPE_T factor = below[0] / first;
        row[0] = first, row[1] = second, row[2] = third;
        b[i + 1] = rest - factor * b[i];
        first = below[1] - factor * second, second = below[2] - factor * third, third = 0;
    }
    work[3 * (int64_t)(n - 1)] = first;
    for (int i = n - 1; i >= 0; i--) {
        const ADTAPE_T *const row = work + 3 * (int64_t)i;
        ADTAPE_T sum = b[i];
        if (i + 1 < n) sum -= row[1] * b[i + 1];
        if (i + 2 < n) sum -= row[2] * b[i + 2];
        b[i] = sum / row[0];
    }
}

/* dl, d, du: as they were in front of the call; its factors do not say which rows it exchanged. */
static inline void ADTAPE_N(gtsv_rev)(int n, int nrhs, const ADTAPE_T *dl, ADTAPE_T *dl_b, const ADTAPE_T *d,
                                      ADTAPE_T *d_b, const ADTAPE_T *du, ADTAPE_T *du_b, const ADTAPE_T *b,
                                      ADTAPE_T *b_b, int ldb, const char *name) {
    if (n <= 0) return;
    ADTAPE_N(no_adjoint)(n - 1, 1, dl_b, n, name);
    ADTAPE_N(no_adjoint)(n, 1, d_b, n, name);
    ADTAPE_N(no_adjoint)(n - 1, 1, du_b, n, name);
    if (!b_b) return;
    ADTAPE_T *const work = ADTAPE_N(work)(3, n);
    for (int k = 0; k < nrhs; k++) {
        ADTAPE_T *const g = b_b + (int64_t)k * ldb;
        const ADTAPE_T *const x = b + (int64_t)k * ldb;
        ADTAPE_N(tridiagonal_transposed)(n, dl, d, du, work, g);
        for (int i = 0; i < n; i++) {
            if (d_b) d_b[i] -= g[i] * x[i];
            if (dl_b && i + 1 < n) dl_b[i] -= g[i + 1] * x[i];
            if (du_b && i + 1 < n) du_b[i] -= g[i] * x[i + 1];
        }
    }
    free(work);
}

/* a = l d l': d and the diagonal e below that of l. */
static inline void ADTAPE_N(ptsv_rev)(int n, int nrhs, const ADTAPE_T *d, ADTAPE_T *d_b, const ADTAPE_T *e,
                                      ADTAPE_T *e_b, const ADTAPE_T *b, ADTAPE_T *b_b, int ldb, const char *name) {
    ADTAPE_N(no_adjoint)(n, 1, d_b, n, name);
    ADTAPE_N(no_adjoint)(n - 1, 1, e_b, n, name);
    for (int k = 0; k < nrhs && b_b; k++) {
        ADTAPE_T *const g = b_b + (int64_t)k * ldb;
        const ADTAPE_T *const x = b + (int64_t)k * ldb;
        for (int i = 1; i < n; i++) g[i] -= e[i - 1] * g[i - 1];
        for (int i = 0; i < n; i++) g[i] /= d[i];
        for (int i = n - 2; i >= 0; i--) g[i] -= e[i] * g[i + 1];
        for (int i = 0; i < n; i++) {
            if (d_b) d_b[i] -= g[i] * x[i];
            if (e_b && i + 1 < n) e_b[i] -= g[i] * x[i + 1] + g[i + 1] * x[i];
        }
    }
}

static inline void ADTAPE_N(exchange_two)(ADTAPE_T *b, int one, int other) {
    const ADTAPE_T was = b[one];
    b[one] = b[other], b[other] = was;
}

/* b = d^-1 b of a block of two rows. */
static inline void ADTAPE_N(block_of_two)(ADTAPE_T first, ADTAPE_T between, ADTAPE_T second, ADTAPE_T *b) {
    const ADTAPE_T scale = first / between * (second / between) - 1, one = b[0] / between, other = b[1] / between;
    b[0] = (second / between * one - other) / scale;
    b[1] = (first / between * other - one) / scale;
}

/* b = a^-1 b by the factors of sytrf: l d l', or u d u', with blocks of one row and of two. Column k of l is passed on
 * the way down and once more on the way back; for u the other way round. */
static inline void ADTAPE_N(indefinite)(int upper, int n, const ADTAPE_T *a, int lda, const int *ipiv, ADTAPE_T *b) {
    const int step = upper ? -1 : 1;
    for (int k = upper ? n - 1 : 0; k >= 0 && k < n;) {
        const int two = ipiv[k] < 0, next = two ? k + step : k, from = upper ? 0 : next + 1, to = upper ? next : n;
        const ADTAPE_T *const one = a + (int64_t)k * lda, *const other = a + (int64_t)next * lda;
        ADTAPE_N(exchange_two)(b, next, (two ? -ipiv[k] : ipiv[k]) - 1);
        for (int i = from; i < to; i++) b[i] -= one[i] * b[k] + (two ? other[i] * b[next] : 0);
        if (two) {
            const int low = upper ? next : k;
            const ADTAPE_T *const first = a + low + (int64_t)low * lda;
            ADTAPE_N(block_of_two)(first[0], one[next], first[lda + 1], b + low);
        } else {
            b[k] /= one[k];
        }
        k = next + step;
    }
    for (int k = upper ? 0 : n - 1; k >= 0 && k < n;) {
        /* The columns of a block from its far end: the exchange was made with the row of the near one. */
        const int two = ipiv[k] < 0, next = two ? k - step : k, from = upper ? 0 : k + 1, to = upper ? k : n;
        const ADTAPE_T *const one = a + (int64_t)k * lda, *const other = a + (int64_t)next * lda;
        for (int i = from; i < to; i++) {
            b[k] -= one[i] * b[i];
            if (two) b[next] -= other[i] * b[i];
        }
        ADTAPE_N(exchange_two)(b, k, (two ? -ipiv[k] : ipiv[k]) - 1);
        k = next - step;
    }
}

static inline void ADTAPE_N(sysv_rev)(char uplo, int n, int nrhs, const ADTAPE_T *a, ADTAPE_T *a_b, int lda,
                                      const int *ipiv, const ADTAPE_T *b, ADTAPE_T *b_b, int ldb, ADTAPE_T *work_b,
                                      int lwork, const char *name) {
    const int upper = ADTAPE_N(is)(uplo, 'U');
    for (int k = 0; work_b && k < (lwork < 1 ? 1 : lwork); k++) work_b[k] = 0;
    /* A question for the size of work: nothing was solved. */
    if (lwork == -1) return;
    for (int j = 0; j < n && a_b; j++) {
        ADTAPE_N(no_adjoint)(upper ? j + 1 : n - j, 1, a_b + (upper ? 0 : j) + (int64_t)j * lda, n, name);
    }
    for (int k = 0; k < nrhs && b_b; k++) {
        ADTAPE_T *const g = b_b + (int64_t)k * ldb;
        const ADTAPE_T *const x = b + (int64_t)k * ldb;
        ADTAPE_N(indefinite)(upper, n, a, lda, ipiv, g);
        for (int j = 0; j < n && a_b; j++) {
            ADTAPE_T *const column = a_b + (int64_t)j * lda;
            for (int i = upper ? 0 : j + 1; i < (upper ? j : n); i++) column[i] -= g[i] * x[j] + g[j] * x[i];
            column[j] -= g[j] * x[j];
        }
    }
}
