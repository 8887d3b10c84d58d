/* adtape/rules_factors_cores.h: reverse steps of LAPACK's factors of banded and symmetric matrices, of the solvers that
 * use these, and of symmetric eigenvalues, for one type of numbers. rules_solvers.h includes it once for each type.
 *
 * The steps of an elimination are reversed by what it leaves, one after the other: the derivative of factors is
 * exact. */

/* a = p l u by gbtrf, whose multipliers stay in the rows that they had in their own step. */
static inline void ADTAPE_N(gbtrf_rev)(int m, int n, int kl, int ku, const ADTAPE_T *ab, ADTAPE_T *ab_b, int ldab,
                                       const int *ipiv) {
    const int own = kl + ku;
    for (int k = (m < n ? m : n) - 1; k >= 0 && ab_b; k--) {
        const int last = k + kl < m - 1 ? k + kl : m - 1, right = k + own < n - 1 ? k + own : n - 1, row = ipiv[k] - 1;
        const ADTAPE_T *const l = ab + own - k + (int64_t)k * ldab;
        ADTAPE_T *const l_b = ab_b + own - k + (int64_t)k * ldab;
        for (int j = k + 1; j <= right; j++) {
            const ADTAPE_T u = ab[own + k - j + (int64_t)j * ldab];
            ADTAPE_T *const column = ab_b + own - j + (int64_t)j * ldab;
            for (int i = k + 1; i <= last; i++) {
                l_b[i] -= column[i] * u;
                column[k] -= l[i] * column[i];
            }
        }
        for (int i = k + 1; i <= last; i++) {
            l_b[i] /= l[k];
            l_b[k] -= l_b[i] * l[i];
        }
        for (int j = k; j <= right && row != k; j++) {
            ADTAPE_N(exchange_two)(ab_b + own - j + (int64_t)j * ldab, k, row);
        }
    }
    /* gbtrf begins with 0 in the diagonals that its exchanges need. */
    for (int j = ku + 1; j < n && ab_b; j++) {
        for (int i = j > own ? j - own : 0; i < j - ku && i < m; i++) ab_b[own + i - j + (int64_t)j * ldab] = 0;
    }
}

/* x and its adjoint g, through u x = y, or through u' y = b: back to what was in front of it. */
static inline void ADTAPE_N(through_band)(int plain, int n, int own, const ADTAPE_T *ab, ADTAPE_T *ab_b, int ldab,
                                          ADTAPE_T *x, ADTAPE_T *g) {
    for (int step = 0; step < n; step++) {
        const int j = plain ? step : n - 1 - step, from = j > own ? j - own : 0;
        if (plain) {
            const ADTAPE_T *const u = ab + own - j + (int64_t)j * ldab;
            for (int i = from; i < j; i++) g[j] -= u[i] * g[i];
            g[j] /= u[j];
        } else {
            const ADTAPE_T *const u = ab + own - j + (int64_t)j * ldab;
            g[j] /= u[j];
            for (int i = from; i < j; i++) g[i] -= u[i] * g[j];
        }
    }
    for (int j = 0; j < n && ab_b; j++) {
        ADTAPE_T *const u_b = ab_b + own - j + (int64_t)j * ldab;
        for (int i = j > own ? j - own : 0; i <= j; i++) u_b[i] -= plain ? g[i] * x[j] : x[i] * g[j];
    }
    for (int i = 0; i < n && plain; i++) {
        ADTAPE_T sum = 0;
        for (int j = i; j < n && j <= i + own; j++) sum += ab[own + i - j + (int64_t)j * ldab] * x[j];
        x[i] = sum;
    }
}

static inline void ADTAPE_N(gbtrs_rev)(char trans, int n, int kl, int ku, int nrhs, const ADTAPE_T *ab, ADTAPE_T *ab_b,
                                       int ldab, const int *ipiv, const ADTAPE_T *b, ADTAPE_T *b_b, int ldb) {
    if (!b_b || n <= 0) return;
    const int own = kl + ku, plain = ADTAPE_N(is)(trans, 'N');
    ADTAPE_T *const x = ADTAPE_N(work)(n, 1);
    for (int c = 0; c < nrhs; c++) {
        ADTAPE_T *const g = b_b + (int64_t)c * ldb;
        ADTAPE_N(copy_matrix)(n, 1, b + (int64_t)c * ldb, n, x, n);
        if (plain) ADTAPE_N(through_band)(1, n, own, ab, ab_b, ldab, x, g);
        for (int step = 0; step < n - 1; step++) {
            const int k = plain ? n - 2 - step : step, last = k + kl < n - 1 ? k + kl : n - 1;
            const ADTAPE_T *const l = ab + own - k + (int64_t)k * ldab;
            ADTAPE_T *const l_b = ab_b ? ab_b + own - k + (int64_t)k * ldab : NULL;
            if (!plain) ADTAPE_N(exchange_two)(x, k, ipiv[k] - 1), ADTAPE_N(exchange_two)(g, k, ipiv[k] - 1);
            for (int i = k + 1; i <= last; i++) {
                const int of = plain ? k : i, to = plain ? i : k;
                /* x[to] -= l[i] x[of] */
                if (l_b) l_b[i] -= g[to] * x[of];
                g[of] -= l[i] * g[to];
                x[to] += l[i] * x[of];
            }
            if (plain) ADTAPE_N(exchange_two)(x, k, ipiv[k] - 1), ADTAPE_N(exchange_two)(g, k, ipiv[k] - 1);
        }
        if (!plain) ADTAPE_N(through_band)(0, n, own, ab, ab_b, ldab, x, g);
    }
    free(x);
}

/* Where element (i, j) of the lower triangle is: the upper one is that of the matrix from its end. */
static inline int64_t ADTAPE_N(below_at)(int upper, int n, int lda, int i, int j) {
    return upper ? n - 1 - i + (int64_t)(n - 1 - j) * lda : i + (int64_t)j * lda;
}

/* The block of the factors of sytrf that begins at k, from the end for the upper triangle. */
typedef struct {
    int two, own, other, from;
    ADTAPE_T first, between, second;
} ADTAPE_N(block);

static inline ADTAPE_N(block) ADTAPE_N(block_at)(int upper, int n, const ADTAPE_T *a, int lda, const int *ipiv, int k) {
    const int pivot = ipiv[upper ? n - 1 - k : k], row = pivot < 0 ? -pivot : pivot;
    ADTAPE_N(block) found = {pivot < 0, pivot < 0 ? k + 1 : k, upper ? n - row : row - 1, 0, 0, 0, 0};
    found.from = found.own + 1;
    found.first = a[ADTAPE_N(below_at)(upper, n, lda, k, k)];
    if (found.two) {
        found.between = a[ADTAPE_N(below_at)(upper, n, lda, k + 1, k)];
        found.second = a[ADTAPE_N(below_at)(upper, n, lda, k + 1, k + 1)];
    }
    return found;
}

static inline void ADTAPE_N(by_block)(const ADTAPE_N(block) *block, ADTAPE_T *x) {
    if (block->two) {
        ADTAPE_N(block_of_two)(block->first, block->between, block->second, x);
    } else {
        x[0] /= block->first;
    }
}

static inline void ADTAPE_N(exchange_at)(ADTAPE_T *a, int64_t one, int64_t other) {
    const ADTAPE_T was = a[one];
    a[one] = a[other], a[other] = was;
}

/* The exchange of two rows, and of these columns, of a lower triangle behind column k. */
static inline void ADTAPE_N(exchange_symmetric)(int upper, int n, ADTAPE_T *a, int lda, int k,
                                                const ADTAPE_N(block) *block) {
    const int own = block->own, other = block->other;
#define ADTAPE_AT(i, j) ADTAPE_N(below_at)(upper, n, lda, i, j)
    if (own == other) return;
    for (int i = other + 1; i < n; i++) ADTAPE_N(exchange_at)(a, ADTAPE_AT(i, own), ADTAPE_AT(i, other));
    for (int i = own + 1; i < other; i++) ADTAPE_N(exchange_at)(a, ADTAPE_AT(i, own), ADTAPE_AT(other, i));
    ADTAPE_N(exchange_at)(a, ADTAPE_AT(own, own), ADTAPE_AT(other, other));
    if (block->two) ADTAPE_N(exchange_at)(a, ADTAPE_AT(own, k), ADTAPE_AT(other, k));
}

/* The reverse of the step of sytrf with the block at k: a[i, j] -= l[i] d l[j]', l = w / d. */
static inline void ADTAPE_N(sytrf_step)(int upper, int n, const ADTAPE_T *a, ADTAPE_T *a_b, int lda, int k,
                                        const ADTAPE_N(block) *block) {
    const int two = block->two, next = k + two;
    const ADTAPE_T p = block->first, q = block->between, r = block->second;
    ADTAPE_T p_b = 0, q_b = 0, r_b = 0;
    for (int j = block->from; j < n; j++) {
        const ADTAPE_T one = a[ADTAPE_AT(j, k)], other = two ? a[ADTAPE_AT(j, next)] : 0;
        for (int i = j; i < n; i++) {
            const ADTAPE_T g = a_b[ADTAPE_AT(i, j)], first = a[ADTAPE_AT(i, k)];
            const ADTAPE_T second = two ? a[ADTAPE_AT(i, next)] : 0;
            a_b[ADTAPE_AT(i, k)] -= g * (p * one + q * other);
            a_b[ADTAPE_AT(j, k)] -= g * (p * first + q * second);
            p_b -= g * first * one;
            if (!two) continue;
            a_b[ADTAPE_AT(i, next)] -= g * (q * one + r * other);
            a_b[ADTAPE_AT(j, next)] -= g * (q * first + r * second);
            q_b -= g * (first * other + second * one);
            r_b -= g * second * other;
        }
    }
    for (int i = block->from; i < n; i++) {
        const ADTAPE_T first = a[ADTAPE_AT(i, k)], second = two ? a[ADTAPE_AT(i, next)] : 0;
        ADTAPE_T w_b[2] = {a_b[ADTAPE_AT(i, k)], two ? a_b[ADTAPE_AT(i, next)] : 0};
        ADTAPE_N(by_block)(block, w_b);
        a_b[ADTAPE_AT(i, k)] = w_b[0];
        if (two) a_b[ADTAPE_AT(i, next)] = w_b[1];
        p_b -= first * w_b[0], q_b -= first * w_b[1] + second * w_b[0], r_b -= second * w_b[1];
    }
    a_b[ADTAPE_AT(k, k)] += p_b;
    if (two) a_b[ADTAPE_AT(next, k)] += q_b, a_b[ADTAPE_AT(next, next)] += r_b;
}

static inline void ADTAPE_N(sytrf_rev)(char uplo, int n, const ADTAPE_T *a, ADTAPE_T *a_b, int lda, const int *ipiv,
                                       ADTAPE_T *work_b, int lwork) {
    const int upper = ADTAPE_N(is)(uplo, 'U');
    for (int k = 0; work_b && k < (lwork < 1 ? 1 : lwork); k++) work_b[k] = 0;
    if (lwork == -1 || !a_b) return;
    /* Blocks from the last to the first: whether a block of two ends at k, only those in front of it tell. */
    int *const begins = (int *)ADTAPE_N(work)(n, 2);
    int count = 0;
    for (int k = 0; k < n; k += ipiv[upper ? n - 1 - k : k] < 0 ? 2 : 1) begins[count++] = k;
    while (count-- > 0) {
        const int k = begins[count];
        const ADTAPE_N(block) block = ADTAPE_N(block_at)(upper, n, a, lda, ipiv, k);
        ADTAPE_N(sytrf_step)(upper, n, a, a_b, lda, k, &block);
        ADTAPE_N(exchange_symmetric)(upper, n, a_b, lda, k, &block);
    }
    free(begins);
}

/* x and its adjoint g through x[k] -= l' x, or with `down` x -= l x[k]. */
static inline void ADTAPE_N(through_column)(int down, int upper, int n, const ADTAPE_T *a, ADTAPE_T *a_b, int lda,
                                            int k, int from, ADTAPE_T *x, ADTAPE_T *g) {
    for (int i = from; i < n; i++) {
        const int of = down ? k : i, to = down ? i : k;
        if (a_b) a_b[ADTAPE_AT(i, k)] -= g[to] * x[of];
        g[of] -= a[ADTAPE_AT(i, k)] * g[to];
        x[to] += a[ADTAPE_AT(i, k)] * x[of];
    }
}

/* One right side, from its end for the upper triangle. */
static inline void ADTAPE_N(sytrs_column)(int upper, int n, const ADTAPE_T *a, ADTAPE_T *a_b, int lda, const int *ipiv,
                                          ADTAPE_T *x, ADTAPE_T *g, int *begins) {
    int count = 0;
    for (int k = 0; k < n;) {
        const ADTAPE_N(block) block = ADTAPE_N(block_at)(upper, n, a, lda, ipiv, k);
        begins[count++] = k;
        ADTAPE_N(exchange_two)(x, block.own, block.other), ADTAPE_N(exchange_two)(g, block.own, block.other);
        for (int c = k; c < block.from; c++) {
            ADTAPE_N(through_column)(0, upper, n, a, a_b, lda, c, block.from, x, g);
        }
        k = block.from;
    }
    while (count-- > 0) {
        const int k = begins[count];
        const ADTAPE_N(block) block = ADTAPE_N(block_at)(upper, n, a, lda, ipiv, k);
        const ADTAPE_T one = x[k], other = block.two ? x[k + 1] : 0;
        ADTAPE_N(by_block)(&block, g + k);
        if (a_b) a_b[ADTAPE_AT(k, k)] -= g[k] * one;
        x[k] = block.first * one + block.between * other;
        if (block.two) {
            if (a_b) a_b[ADTAPE_AT(k + 1, k)] -= g[k] * other + g[k + 1] * one;
            if (a_b) a_b[ADTAPE_AT(k + 1, k + 1)] -= g[k + 1] * other;
            x[k + 1] = block.between * one + block.second * other;
        }
        for (int c = k; c < block.from; c++) {
            ADTAPE_N(through_column)(1, upper, n, a, a_b, lda, c, block.from, x, g);
        }
        ADTAPE_N(exchange_two)(x, block.own, block.other), ADTAPE_N(exchange_two)(g, block.own, block.other);
    }
}
#undef ADTAPE_AT

static inline void ADTAPE_N(sytrs_rev)(char uplo, int n, int nrhs, const ADTAPE_T *a, ADTAPE_T *a_b, int lda,
                                       const int *ipiv, const ADTAPE_T *b, ADTAPE_T *b_b, int ldb) {
    if (!b_b || n <= 0) return;
    const int upper = ADTAPE_N(is)(uplo, 'U');
    ADTAPE_T *const x = ADTAPE_N(work)(n, 4), *const g = x + n;
    for (int c = 0; c < nrhs; c++) {
        const ADTAPE_T *const from = b + (int64_t)c * ldb;
        ADTAPE_T *const to = b_b + (int64_t)c * ldb;
        for (int i = 0; i < n; i++) x[i] = from[upper ? n - 1 - i : i], g[i] = to[upper ? n - 1 - i : i];
        ADTAPE_N(sytrs_column)(upper, n, a, a_b, lda, ipiv, x, g, (int *)(g + n));
        for (int i = 0; i < n; i++) to[upper ? n - 1 - i : i] = g[i];
    }
    free(x);
}

/* The adjoint of the matrix between its vectors, in g; that of the vectors is there, as v' v_b. */
static inline void ADTAPE_N(between_vectors)(int n, const ADTAPE_T *w, ADTAPE_T *g, const ADTAPE_T *w_b, int vectors,
                                             const char *name) {
    const ADTAPE_T last = w[n - 1] < 0 ? -w[n - 1] : w[n - 1], first = w[0] < 0 ? -w[0] : w[0];
    const ADTAPE_T digits = (ADTAPE_T)(sizeof last == 4 ? 1.2e-7 : 2.3e-16);
    const ADTAPE_T near = 8 * n * digits * (last > first ? last : first);
    for (int j = 0; j < n; j++) {
        g[j + (int64_t)j * n] = w_b ? w_b[j] : 0;
        for (int i = j + 1; i < n; i++) {
            ADTAPE_T *const one = g + i + (int64_t)j * n, *const other = g + j + (int64_t)i * n;
            const ADTAPE_T turn = vectors ? *one - *other : 0;
            const ADTAPE_T size = (*one < 0 ? -*one : *one) + (*other < 0 ? -*other : *other);
            const int is_one = w[i] - w[j] <= near;
            if (is_one && (turn < 0 ? -turn : turn) > 1024 * digits * size) {
                fprintf(stderr, "adtape: vectors of equal eigenvalues have no derivative, and %s has one here\n", name);
                abort();
            }
            *one = *other = is_one ? 0 : turn / 2 / (w[j] - w[i]);
        }
    }
}

/* a v = v w: a_b = v (w_b + f v' v_b) v' with f[i, j] = 1 / (w[j] - w[i]). The vectors are computed once more, from a
 * as it was. */
static inline void ADTAPE_N(syev_rev)(char jobz, char uplo, int n, const ADTAPE_T *a, ADTAPE_T *a_b, int lda,
                                      ADTAPE_T *w_b, ADTAPE_T *work_b, int lwork, const char *name) {
    const int upper = ADTAPE_N(is)(uplo, 'U'), vectors = ADTAPE_N(is)(jobz, 'V');
    for (int k = 0; work_b && k < (lwork < 1 ? 1 : lwork); k++) work_b[k] = 0;
    if (lwork == -1 || n <= 0) return;
    for (int j = 0; j < n && a_b && !vectors; j++) {
        ADTAPE_N(no_adjoint)(upper ? j + 1 : n - j, 1, a_b + (upper ? 0 : j) + (int64_t)j * lda, n, name);
    }
    if (a_b) {
        ADTAPE_T *const v = (ADTAPE_T *)malloc(sizeof *v * (size_t)lda * (size_t)n);
        ADTAPE_T *const w = ADTAPE_N(work)(n + lwork, 1);
        ADTAPE_T *const g = ADTAPE_N(work)(n, n), *const h = ADTAPE_N(work)(n, n);
        int info = 0;
        if (!v) abort();
        for (int j = 0; j < n; j++) memcpy(v + (int64_t)j * lda, a + (int64_t)j * lda, sizeof *v * (size_t)n);
        ADTAPE_N(syev)("V", &uplo, &n, v, &lda, w, w + n, &lwork, &info);
        if (vectors) ADTAPE_P(gemm)('T', 'N', n, n, n, 1, v, lda, a_b, lda, 0, g, n);
        ADTAPE_N(between_vectors)(n, w, g, w_b, vectors, name);
        ADTAPE_P(gemm)('N', 'N', n, n, n, 1, v, lda, g, n, 0, h, n);
        ADTAPE_P(gemm)('N', 'T', n, n, n, 1, h, n, v, lda, 0, g, n);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                ADTAPE_T *const to = a_b + i + (int64_t)j * lda;
                const int is_read = upper ? i <= j : i >= j;
                if (is_read) *to = g[i + (int64_t)j * n] + (i == j ? 0 : g[j + (int64_t)i * n]);
                if (!is_read && vectors) *to = 0;
            }
        }
        free(v), free(w), free(g), free(h);
    }
    for (int k = 0; k < n && w_b; k++) w_b[k] = 0;
}
