/* adtape/rules_blas_cores.h: reverse steps of BLAS and LAPACK for one type of numbers.
 *
 * rules_blas.h and rules_cblas.h include it once for each type, behind
 *
 *   ADTAPE_T        the type: double, float
 *   ADTAPE_N(name)  the name of a function here
 *   ADTAPE_P(name)  the program's own BLAS, by columns, each number by value
 *
 * An adjoint that is NULL is not wanted. Adjoints of what is only read are added to; those of what is overwritten
 * become what they are in front of the call. Matrices are stored by columns. Sources: the references of BLAS and LAPACK for
 * what the routines compute; the derivatives are those of the formulas that stand at each step. */

static inline int64_t ADTAPE_N(at)(int n, int inc, int k) {
    return inc < 0 ? (int64_t)(k - n + 1) * inc : (int64_t)k * inc;
}

/* Memory that the step needs for itself; ends the program if there is none. */
static inline ADTAPE_T *ADTAPE_N(work)(int rows, int columns) {
    const size_t count = rows > 0 && columns > 0 ? (size_t)rows * (size_t)columns : 1;
    ADTAPE_T *const memory = (ADTAPE_T *)calloc(count, sizeof *memory);
    if (!memory) {
        fprintf(stderr, "adtape: no memory for a matrix of %d x %d in a reverse step of BLAS\n", rows, columns);
        abort();
    }
    return memory;
}

/* x = a x; 0 is set, whatever x holds. */
static inline void ADTAPE_N(scale)(int n, ADTAPE_T a, ADTAPE_T *x, int incx) {
    for (int k = 0; k < n; k++) {
        ADTAPE_T *const at = x + ADTAPE_N(at)(n, incx, k);
        *at = a == 0 ? 0 : a * *at;
    }
}

static inline void ADTAPE_N(scale_columns)(int m, int n, ADTAPE_T a, ADTAPE_T *c, int ldc) {
    if (a == 1) return;
    for (int j = 0; j < n; j++) ADTAPE_N(scale)(m, a, c + (int64_t)j * ldc, 1);
}

static inline ADTAPE_T ADTAPE_N(product)(int m, int n, const ADTAPE_T *a, int lda, const ADTAPE_T *b, int ldb) {
    ADTAPE_T sum = 0;
    for (int j = 0; j < n; j++) sum += ADTAPE_P(dot)(m, a + (int64_t)j * lda, 1, b + (int64_t)j * ldb, 1);
    return sum;
}

static inline int ADTAPE_N(is)(char given, char wanted) { return given == wanted || given == wanted + ('a' - 'A'); }
static inline char ADTAPE_N(other)(char trans) { return ADTAPE_N(is)(trans, 'N') ? 'T' : 'N'; }

/* a += factor g in a triangle; `fold`: and its mirror image, which a symmetric matrix stores there, too. */
static inline void ADTAPE_N(add_triangle)(char uplo, char diag, int fold, int n, ADTAPE_T factor, const ADTAPE_T *g,
                                          int ldg, ADTAPE_T *a, int lda) {
    const int upper = ADTAPE_N(is)(uplo, 'U'), unit = ADTAPE_N(is)(diag, 'U');
    for (int j = 0; j < n; j++) {
        const int from = upper ? 0 : j, to = upper ? j + 1 : n;
        for (int i = from; i < to; i++) {
            if (i == j && unit) continue;
            ADTAPE_T share = g[i + (int64_t)j * ldg];
            if (fold && i != j) share += g[j + (int64_t)i * ldg];
            a[i + (int64_t)j * lda] += factor * share;
        }
    }
}

/* ---- vectors ---- */

static inline void ADTAPE_N(dot_rev)(int n, const ADTAPE_T *x, ADTAPE_T *x_b, int incx, const ADTAPE_T *y,
                                     ADTAPE_T *y_b, int incy, ADTAPE_T seed) {
    if (x_b) ADTAPE_P(axpy)(n, seed, y, incy, x_b, incx);
    if (y_b) ADTAPE_P(axpy)(n, seed, x, incx, y_b, incy);
}

static inline void ADTAPE_N(axpy_rev)(int n, ADTAPE_T a, ADTAPE_T *a_b, const ADTAPE_T *x, ADTAPE_T *x_b, int incx,
                                      ADTAPE_T *y_b, int incy) {
    if (!y_b) return;
    if (a_b) *a_b += ADTAPE_P(dot)(n, x, incx, y_b, incy);
    if (x_b) ADTAPE_P(axpy)(n, a, y_b, incy, x_b, incx);
}

/* x = a x: x is what it was in front of the call. */
static inline void ADTAPE_N(scal_rev)(int n, ADTAPE_T a, ADTAPE_T *a_b, const ADTAPE_T *x, ADTAPE_T *x_b, int incx) {
    /* BLAS leaves x alone, too. */
    if (!x_b || incx <= 0) return;
    if (a_b) *a_b += ADTAPE_P(dot)(n, x, incx, x_b, incx);
    ADTAPE_N(scale)(n, a, x_b, incx);
}

static inline void ADTAPE_N(copy_rev)(int n, ADTAPE_T *x_b, int incx, ADTAPE_T *y_b, int incy) {
    if (!y_b) return;
    if (x_b) ADTAPE_P(axpy)(n, 1, y_b, incy, x_b, incx);
    ADTAPE_N(scale)(n, 0, y_b, incy);
}

static inline void ADTAPE_N(swap_rev)(int n, ADTAPE_T *x_b, int incx, ADTAPE_T *y_b, int incy) {
    for (int k = 0; k < n; k++) {
        ADTAPE_T *const x = x_b ? x_b + ADTAPE_N(at)(n, incx, k) : NULL;
        ADTAPE_T *const y = y_b ? y_b + ADTAPE_N(at)(n, incy, k) : NULL;
        const ADTAPE_T was = x ? *x : 0;
        if (x) *x = y ? *y : 0;
        if (y) *y = was;
    }
}

/* The norm of 0 has no derivative: 0 is taken. */
static inline void ADTAPE_N(nrm2_rev)(int n, const ADTAPE_T *x, ADTAPE_T *x_b, int incx, ADTAPE_T seed) {
    if (!x_b || seed == 0 || incx <= 0) return;
    const ADTAPE_T norm = ADTAPE_P(nrm2)(n, x, incx);
    if (norm != 0) ADTAPE_P(axpy)(n, seed / norm, x, incx, x_b, incx);
}

static inline void ADTAPE_N(asum_rev)(int n, const ADTAPE_T *x, ADTAPE_T *x_b, int incx, ADTAPE_T seed) {
    for (int k = 0; k < n && x_b && incx > 0; k++) {
        const int64_t at = (int64_t)k * incx;
        x_b[at] += x[at] > 0 ? seed : x[at] < 0 ? -seed : 0;
    }
}

/* ---- matrices and vectors ---- */

/* y = alpha op(a) x + beta y; y is what it was in front of the call. */
static inline void ADTAPE_N(gemv_rev)(char trans, int m, int n, ADTAPE_T alpha, ADTAPE_T *alpha_b, const ADTAPE_T *a,
                                      ADTAPE_T *a_b, int lda, const ADTAPE_T *x, ADTAPE_T *x_b, int incx,
                                      ADTAPE_T beta, ADTAPE_T *beta_b, const ADTAPE_T *y, ADTAPE_T *y_b, int incy) {
    if (!y_b) return;
    const int plain = ADTAPE_N(is)(trans, 'N'), rows = plain ? m : n, columns = plain ? n : m;
    if (alpha_b) {
        ADTAPE_T *const back = ADTAPE_N(work)(columns, 1);
        ADTAPE_P(gemv)(ADTAPE_N(other)(trans), m, n, 1, a, lda, y_b, incy, 0, back, 1);
        *alpha_b += ADTAPE_P(dot)(columns, back, 1, x, incx);
        free(back);
    }
    if (beta_b) *beta_b += ADTAPE_P(dot)(rows, y, incy, y_b, incy);
    if (a_b && plain) ADTAPE_P(ger)(m, n, alpha, y_b, incy, x, incx, a_b, lda);
    if (a_b && !plain) ADTAPE_P(ger)(m, n, alpha, x, incx, y_b, incy, a_b, lda);
    if (x_b) ADTAPE_P(gemv)(ADTAPE_N(other)(trans), m, n, alpha, a, lda, y_b, incy, 1, x_b, incx);
    ADTAPE_N(scale)(rows, beta, y_b, incy);
}

/* a = a + alpha x y' */
static inline void ADTAPE_N(ger_rev)(int m, int n, ADTAPE_T alpha, ADTAPE_T *alpha_b, const ADTAPE_T *x,
                                     ADTAPE_T *x_b, int incx, const ADTAPE_T *y, ADTAPE_T *y_b, int incy,
                                     ADTAPE_T *a_b, int lda) {
    if (!a_b) return;
    if (alpha_b) {
        ADTAPE_T *const back = ADTAPE_N(work)(m, 1);
        ADTAPE_P(gemv)('N', m, n, 1, a_b, lda, y, incy, 0, back, 1);
        *alpha_b += ADTAPE_P(dot)(m, back, 1, x, incx);
        free(back);
    }
    if (x_b) ADTAPE_P(gemv)('N', m, n, alpha, a_b, lda, y, incy, 1, x_b, incx);
    if (y_b) ADTAPE_P(gemv)('T', m, n, alpha, a_b, lda, x, incx, 1, y_b, incy);
}

/* y = alpha a x + beta y with a symmetric */
static inline void ADTAPE_N(symv_rev)(char uplo, int n, ADTAPE_T alpha, ADTAPE_T *alpha_b, const ADTAPE_T *a,
                                      ADTAPE_T *a_b, int lda, const ADTAPE_T *x, ADTAPE_T *x_b, int incx,
                                      ADTAPE_T beta, ADTAPE_T *beta_b, const ADTAPE_T *y, ADTAPE_T *y_b, int incy) {
    if (!y_b) return;
    if (alpha_b) {
        ADTAPE_T *const back = ADTAPE_N(work)(n, 1);
        ADTAPE_P(symv)(uplo, n, 1, a, lda, y_b, incy, 0, back, 1);
        *alpha_b += ADTAPE_P(dot)(n, back, 1, x, incx);
        free(back);
    }
    if (beta_b) *beta_b += ADTAPE_P(dot)(n, y, incy, y_b, incy);
    const int upper = ADTAPE_N(is)(uplo, 'U');
    for (int j = 0; j < n && a_b; j++) {
        const ADTAPE_T xj = x[ADTAPE_N(at)(n, incx, j)], yj = y_b[ADTAPE_N(at)(n, incy, j)];
        for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); i++) {
            const ADTAPE_T xi = x[ADTAPE_N(at)(n, incx, i)], yi = y_b[ADTAPE_N(at)(n, incy, i)];
            a_b[i + (int64_t)j * lda] += alpha * (i == j ? yi * xi : yi * xj + yj * xi);
        }
    }
    if (x_b) ADTAPE_P(symv)(uplo, n, alpha, a, lda, y_b, incy, 1, x_b, incx);
    ADTAPE_N(scale)(n, beta, y_b, incy);
}

/* a_b += factor tri(left right') of two vectors */
static inline void ADTAPE_N(add_outer)(char uplo, char diag, int n, ADTAPE_T factor, const ADTAPE_T *left, int incl,
                                       const ADTAPE_T *right, int incr, ADTAPE_T *a_b, int lda) {
    const int upper = ADTAPE_N(is)(uplo, 'U'), unit = ADTAPE_N(is)(diag, 'U');
    for (int j = 0; j < n; j++) {
        const ADTAPE_T share = factor * right[ADTAPE_N(at)(n, incr, j)];
        for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); i++) {
            if (i != j || !unit) a_b[i + (int64_t)j * lda] += share * left[ADTAPE_N(at)(n, incl, i)];
        }
    }
}

/* x = op(a)^-1 x: x is the solution. */
static inline void ADTAPE_N(trsv_rev)(char uplo, char trans, char diag, int n, const ADTAPE_T *a, ADTAPE_T *a_b,
                                      int lda, const ADTAPE_T *x, ADTAPE_T *x_b, int incx) {
    if (!x_b) return;
    ADTAPE_P(trsv)(uplo, ADTAPE_N(other)(trans), diag, n, a, lda, x_b, incx);
    if (!a_b) return;
    const int plain = ADTAPE_N(is)(trans, 'N');
    ADTAPE_N(add_outer)(uplo, diag, n, -1, plain ? x_b : x, incx, plain ? x : x_b, incx, a_b, lda);
}

/* x = op(a) x: x is what it was in front of the call. */
static inline void ADTAPE_N(trmv_rev)(char uplo, char trans, char diag, int n, const ADTAPE_T *a, ADTAPE_T *a_b,
                                      int lda, const ADTAPE_T *x, ADTAPE_T *x_b, int incx) {
    if (!x_b) return;
    const int plain = ADTAPE_N(is)(trans, 'N');
    if (a_b) ADTAPE_N(add_outer)(uplo, diag, n, 1, plain ? x_b : x, incx, plain ? x : x_b, incx, a_b, lda);
    ADTAPE_P(trmv)(uplo, ADTAPE_N(other)(trans), diag, n, a, lda, x_b, incx);
}

/* ---- matrices ---- */

/* c = alpha op(a) op(b) + beta c; c is what it was in front of the call. */
static inline void ADTAPE_N(gemm_rev)(char ta, char tb, int m, int n, int k, ADTAPE_T alpha, ADTAPE_T *alpha_b,
                                      const ADTAPE_T *a, ADTAPE_T *a_b, int lda, const ADTAPE_T *b, ADTAPE_T *b_b,
                                      int ldb, ADTAPE_T beta, ADTAPE_T *beta_b, const ADTAPE_T *c, ADTAPE_T *c_b,
                                      int ldc) {
    if (!c_b) return;
    const char other_a = ADTAPE_N(other)(ta), other_b = ADTAPE_N(other)(tb);
    if (alpha_b) {
        ADTAPE_T *const product = ADTAPE_N(work)(m, n);
        ADTAPE_P(gemm)(ta, tb, m, n, k, 1, a, lda, b, ldb, 0, product, m > 0 ? m : 1);
        *alpha_b += ADTAPE_N(product)(m, n, product, m, c_b, ldc);
        free(product);
    }
    if (beta_b) *beta_b += ADTAPE_N(product)(m, n, c, ldc, c_b, ldc);
    if (a_b && other_a == 'T') ADTAPE_P(gemm)('N', other_b, m, k, n, alpha, c_b, ldc, b, ldb, 1, a_b, lda);
    if (a_b && other_a == 'N') ADTAPE_P(gemm)(tb, 'T', k, m, n, alpha, b, ldb, c_b, ldc, 1, a_b, lda);
    if (b_b && other_b == 'T') ADTAPE_P(gemm)(other_a, 'N', k, n, m, alpha, a, lda, c_b, ldc, 1, b_b, ldb);
    if (b_b && other_b == 'N') ADTAPE_P(gemm)('T', ta, n, k, m, alpha, c_b, ldc, a, lda, 1, b_b, ldb);
    ADTAPE_N(scale_columns)(m, n, beta, c_b, ldc);
}

/* c = alpha a b + beta c, or b a on the right, with a symmetric */
static inline void ADTAPE_N(symm_rev)(char side, char uplo, int m, int n, ADTAPE_T alpha, ADTAPE_T *alpha_b,
                                      const ADTAPE_T *a, ADTAPE_T *a_b, int lda, const ADTAPE_T *b, ADTAPE_T *b_b,
                                      int ldb, ADTAPE_T beta, ADTAPE_T *beta_b, const ADTAPE_T *c, ADTAPE_T *c_b,
                                      int ldc) {
    if (!c_b) return;
    const int left = ADTAPE_N(is)(side, 'L'), size = left ? m : n, lead = size > 0 ? size : 1;
    if (alpha_b) {
        ADTAPE_T *const product = ADTAPE_N(work)(m, n);
        ADTAPE_P(symm)(side, uplo, m, n, 1, a, lda, b, ldb, 0, product, m > 0 ? m : 1);
        *alpha_b += ADTAPE_N(product)(m, n, product, m, c_b, ldc);
        free(product);
    }
    if (beta_b) *beta_b += ADTAPE_N(product)(m, n, c, ldc, c_b, ldc);
    if (a_b) {
        ADTAPE_T *const whole = ADTAPE_N(work)(size, size);
        if (left) ADTAPE_P(gemm)('N', 'T', m, m, n, 1, c_b, ldc, b, ldb, 0, whole, lead);
        else ADTAPE_P(gemm)('T', 'N', n, n, m, 1, b, ldb, c_b, ldc, 0, whole, lead);
        ADTAPE_N(add_triangle)(uplo, 'N', 1, size, alpha, whole, lead, a_b, lda);
        free(whole);
    }
    if (b_b) ADTAPE_P(symm)(side, uplo, m, n, alpha, a, lda, c_b, ldc, 1, b_b, ldb);
    ADTAPE_N(scale_columns)(m, n, beta, c_b, ldc);
}

/* c = alpha a a' + beta c, or a' a, in a triangle */
static inline void ADTAPE_N(syrk_rev)(char uplo, char trans, int n, int k, ADTAPE_T alpha, ADTAPE_T *alpha_b,
                                      const ADTAPE_T *a, ADTAPE_T *a_b, int lda, ADTAPE_T beta, ADTAPE_T *beta_b,
                                      const ADTAPE_T *c, ADTAPE_T *c_b, int ldc) {
    if (!c_b) return;
    const int upper = ADTAPE_N(is)(uplo, 'U'), plain = ADTAPE_N(is)(trans, 'N');
    /* The share of c_b, as a matrix with zeros in the other triangle. */
    ADTAPE_T *const seed = ADTAPE_N(work)(n, n);
    for (int j = 0; j < n; j++) {
        for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); i++) {
            const int64_t at = i + (int64_t)j * ldc;
            seed[i + (int64_t)j * n] = c_b[at];
            if (beta_b) *beta_b += c[at] * c_b[at];
            c_b[at] = beta == 0 ? 0 : beta * c_b[at];
        }
    }
    if (alpha_b) {
        ADTAPE_T *const square = ADTAPE_N(work)(n, n);
        ADTAPE_P(gemm)(plain ? 'N' : 'T', plain ? 'T' : 'N', n, n, k, 1, a, lda, a, lda, 0, square, n > 0 ? n : 1);
        *alpha_b += ADTAPE_N(product)(n, n, square, n, seed, n);
        free(square);
    }
    for (int both = 0; both < 2 && a_b && n > 0; both++) {
        const char one = both ? 'T' : 'N';
        if (plain) ADTAPE_P(gemm)(one, 'N', n, k, n, alpha, seed, n, a, lda, 1, a_b, lda);
        else ADTAPE_P(gemm)('N', one, k, n, n, alpha, a, lda, seed, n, 1, a_b, lda);
    }
    free(seed);
}

/* a_b += factor tri(left right') or tri(left' right), of matrices */
static inline void ADTAPE_N(add_product)(char uplo, char diag, int by_columns, int size, int over, ADTAPE_T factor,
                                         const ADTAPE_T *left, int ldl, const ADTAPE_T *right, int ldr,
                                         ADTAPE_T *a_b, int lda) {
    if (size <= 0) return;
    ADTAPE_T *const whole = ADTAPE_N(work)(size, size);
    const char first = by_columns ? 'T' : 'N', second = by_columns ? 'N' : 'T';
    ADTAPE_P(gemm)(first, second, size, size, over, 1, left, ldl, right, ldr, 0, whole, size);
    ADTAPE_N(add_triangle)(uplo, diag, 0, size, factor, whole, size, a_b, lda);
    free(whole);
}

/* b = alpha op(a)^-1 b, or b op(a)^-1 on the right: b is the solution. */
static inline void ADTAPE_N(trsm_rev)(char side, char uplo, char trans, char diag, int m, int n, ADTAPE_T alpha,
                                      ADTAPE_T *alpha_b, const ADTAPE_T *a, ADTAPE_T *a_b, int lda, const ADTAPE_T *b,
                                      ADTAPE_T *b_b, int ldb) {
    if (!b_b) return;
    const int left = ADTAPE_N(is)(side, 'L'), plain = ADTAPE_N(is)(trans, 'N');
    if (alpha_b && alpha != 0) *alpha_b += ADTAPE_N(product)(m, n, b, ldb, b_b, ldb) / alpha;
    ADTAPE_P(trsm)(side, uplo, ADTAPE_N(other)(trans), diag, m, n, 1, a, lda, b_b, ldb);
    if (a_b) {
        /* left: -b_b b' or -b b_b'; right: -b' b_b or -b_b' b */
        const ADTAPE_T *const first = plain == left ? b_b : b, *const second = plain == left ? b : b_b;
        ADTAPE_N(add_product)(uplo, diag, !left, left ? m : n, left ? n : m, -1, first, ldb, second, ldb, a_b, lda);
    }
    ADTAPE_N(scale_columns)(m, n, alpha, b_b, ldb);
}

/* b = alpha op(a) b, or b op(a) on the right: b is what it was in front of the call. */
static inline void ADTAPE_N(trmm_rev)(char side, char uplo, char trans, char diag, int m, int n, ADTAPE_T alpha,
                                      ADTAPE_T *alpha_b, const ADTAPE_T *a, ADTAPE_T *a_b, int lda, const ADTAPE_T *b,
                                      ADTAPE_T *b_b, int ldb) {
    if (!b_b) return;
    const int left = ADTAPE_N(is)(side, 'L'), plain = ADTAPE_N(is)(trans, 'N');
    if (a_b) {
        const ADTAPE_T *const first = plain == left ? b_b : b, *const second = plain == left ? b : b_b;
        ADTAPE_N(add_product)(uplo, diag, !left, left ? m : n, left ? n : m, alpha, first, ldb, second, ldb, a_b, lda);
    }
    ADTAPE_P(trmm)(side, uplo, ADTAPE_N(other)(trans), diag, m, n, 1, a, lda, b_b, ldb);
    if (alpha_b) *alpha_b += ADTAPE_N(product)(m, n, b, ldb, b_b, ldb);
    ADTAPE_N(scale_columns)(m, n, alpha, b_b, ldb);
}

/* ---- LAPACK: a is what the routine leaves, factors; b is the solution ---- */

/* Rows as the pivots exchange them, or back. */
static inline void ADTAPE_N(exchange)(int n, int columns, const int *ipiv, int back, ADTAPE_T *b, int ldb) {
    for (int k = 0; k < n; k++) {
        const int i = back ? n - 1 - k : k, row = ipiv[i] - 1;
        for (int j = 0; j < columns && row != i; j++) {
            ADTAPE_T *const one = b + i + (int64_t)j * ldb, *const other = b + row + (int64_t)j * ldb;
            const ADTAPE_T was = *one;
            *one = *other, *other = was;
        }
    }
}

static inline void ADTAPE_N(copy_matrix)(int m, int n, const ADTAPE_T *from, int ldf, ADTAPE_T *to, int ldt) {
    for (int j = 0; j < n; j++) memcpy(to + (int64_t)j * ldt, from + (int64_t)j * ldf, sizeof *to * (size_t)m);
}

static inline int ADTAPE_N(is_zero)(int m, int n, const ADTAPE_T *a, int lda) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            if (a[i + (int64_t)j * lda] != 0) return 0;
        }
    }
    return 1;
}

/* p a = l u. With m = tril(l' l_b, -1) + triu(u_b u'): a_b = p' l'^-1 m u'^-1. */
static inline void ADTAPE_N(getrf_rev)(int n, const ADTAPE_T *a, ADTAPE_T *a_b, int lda, const int *ipiv) {
    if (!a_b || n <= 0 || ADTAPE_N(is_zero)(n, n, a_b, lda)) return;
    ADTAPE_T *const lower = ADTAPE_N(work)(n, n), *const upper = ADTAPE_N(work)(n, n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) (i > j ? lower : upper)[i + (int64_t)j * n] = a_b[i + (int64_t)j * lda];
    }
    ADTAPE_P(trmm)('L', 'L', 'T', 'U', n, n, 1, a, lda, lower, n);
    ADTAPE_P(trmm)('R', 'U', 'T', 'N', n, n, 1, a, lda, upper, n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            a_b[i + (int64_t)j * lda] = (i > j ? lower : upper)[i + (int64_t)j * n];
        }
    }
    ADTAPE_P(trsm)('L', 'L', 'T', 'U', n, n, 1, a, lda, a_b, lda);
    ADTAPE_P(trsm)('R', 'U', 'T', 'N', n, n, 1, a, lda, a_b, lda);
    ADTAPE_N(exchange)(n, n, ipiv, 1, a_b, lda);
    free(lower), free(upper);
}

/* a x = b or a' x = b, by the factors. */
static inline void ADTAPE_N(getrs_rev)(char trans, int n, int nrhs, const ADTAPE_T *a, ADTAPE_T *a_b, int lda,
                                       const int *ipiv, const ADTAPE_T *b, ADTAPE_T *b_b, int ldb) {
    if (!b_b || n <= 0) return;
    const int plain = ADTAPE_N(is)(trans, 'N');
    ADTAPE_T *const between = ADTAPE_N(work)(n, nrhs);
    ADTAPE_N(copy_matrix)(n, nrhs, b, ldb, between, n);
    if (plain) {
        /* u x = y, l y = p b */
        ADTAPE_P(trsm)('L', 'U', 'T', 'N', n, nrhs, 1, a, lda, b_b, ldb);
        if (a_b) ADTAPE_N(add_product)('U', 'N', 0, n, nrhs, -1, b_b, ldb, b, ldb, a_b, lda);
        ADTAPE_P(trmm)('L', 'U', 'N', 'N', n, nrhs, 1, a, lda, between, n);
        ADTAPE_P(trsm)('L', 'L', 'T', 'U', n, nrhs, 1, a, lda, b_b, ldb);
        if (a_b) ADTAPE_N(add_product)('L', 'U', 0, n, nrhs, -1, b_b, ldb, between, n, a_b, lda);
        ADTAPE_N(exchange)(n, nrhs, ipiv, 1, b_b, ldb);
    } else {
        /* u' z = b, l' w = z, x = p' w */
        ADTAPE_N(exchange)(n, nrhs, ipiv, 0, b_b, ldb);
        ADTAPE_N(exchange)(n, nrhs, ipiv, 0, between, n);
        ADTAPE_P(trsm)('L', 'L', 'N', 'U', n, nrhs, 1, a, lda, b_b, ldb);
        if (a_b) ADTAPE_N(add_product)('L', 'U', 0, n, nrhs, -1, between, n, b_b, ldb, a_b, lda);
        ADTAPE_P(trmm)('L', 'L', 'T', 'U', n, nrhs, 1, a, lda, between, n);
        ADTAPE_P(trsm)('L', 'U', 'N', 'N', n, nrhs, 1, a, lda, b_b, ldb);
        if (a_b) ADTAPE_N(add_product)('U', 'N', 0, n, nrhs, -1, between, n, b_b, ldb, a_b, lda);
    }
    free(between);
}

/* a x = b: b_b = a'^-1 b_b, a_b = -b_b x'; by way of the factors where these have an adjoint of their own. */
static inline void ADTAPE_N(gesv_rev)(int n, int nrhs, const ADTAPE_T *a, ADTAPE_T *a_b, int lda, const int *ipiv,
                                      const ADTAPE_T *b, ADTAPE_T *b_b, int ldb) {
    if (n <= 0) return;
    if (!a_b || !ADTAPE_N(is_zero)(n, n, a_b, lda)) {
        ADTAPE_N(getrs_rev)('N', n, nrhs, a, a_b, lda, ipiv, b, b_b, ldb);
        ADTAPE_N(getrf_rev)(n, a, a_b, lda, ipiv);
        return;
    }
    ADTAPE_N(getrs_rev)('N', n, nrhs, a, NULL, lda, ipiv, b, b_b, ldb);
    if (b_b) ADTAPE_P(gemm)('N', 'T', n, n, nrhs, -1, b_b, ldb, b, ldb, 0, a_b, lda);
}

/* a = l l', or u' u. With p = tril(l' l_b), half of its diagonal: s = l'^-1 p l^-1, and its mirror image. */
static inline void ADTAPE_N(potrf_rev)(char uplo, int n, const ADTAPE_T *a, ADTAPE_T *a_b, int lda) {
    if (!a_b || n <= 0) return;
    const int upper = ADTAPE_N(is)(uplo, 'U');
    ADTAPE_T *const l = ADTAPE_N(work)(n, n), *const s = ADTAPE_N(work)(n, n);
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            const int64_t at = upper ? j + (int64_t)i * lda : i + (int64_t)j * lda;
            l[i + (int64_t)j * n] = a[at], s[i + (int64_t)j * n] = a_b[at];
        }
    }
    ADTAPE_P(trmm)('L', 'L', 'T', 'N', n, n, 1, l, n, s, n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++) s[i + (int64_t)j * n] = 0;
        s[j + (int64_t)j * n] /= 2;
    }
    ADTAPE_P(trsm)('L', 'L', 'T', 'N', n, n, 1, l, n, s, n);
    ADTAPE_P(trsm)('R', 'L', 'N', 'N', n, n, 1, l, n, s, n);
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            const int64_t at = upper ? j + (int64_t)i * lda : i + (int64_t)j * lda;
            a_b[at] = i == j ? s[i + (int64_t)j * n] : s[i + (int64_t)j * n] + s[j + (int64_t)i * n];
        }
    }
    free(l), free(s);
}

/* l y = b, l' x = y, or u' y = b, u x = y. */
static inline void ADTAPE_N(potrs_rev)(char uplo, int n, int nrhs, const ADTAPE_T *a, ADTAPE_T *a_b, int lda,
                                       const ADTAPE_T *b, ADTAPE_T *b_b, int ldb) {
    if (!b_b || n <= 0) return;
    const int upper = ADTAPE_N(is)(uplo, 'U');
    const char first = upper ? 'T' : 'N', second = upper ? 'N' : 'T';
    ADTAPE_T *const between = ADTAPE_N(work)(n, nrhs);
    ADTAPE_N(copy_matrix)(n, nrhs, b, ldb, between, n);
    ADTAPE_P(trsm)('L', uplo, first, 'N', n, nrhs, 1, a, lda, b_b, ldb);
    if (a_b && upper) ADTAPE_N(add_product)(uplo, 'N', 0, n, nrhs, -1, b_b, ldb, b, ldb, a_b, lda);
    if (a_b && !upper) ADTAPE_N(add_product)(uplo, 'N', 0, n, nrhs, -1, b, ldb, b_b, ldb, a_b, lda);
    ADTAPE_P(trmm)('L', uplo, second, 'N', n, nrhs, 1, a, lda, between, n);
    ADTAPE_P(trsm)('L', uplo, second, 'N', n, nrhs, 1, a, lda, b_b, ldb);
    if (a_b && upper) ADTAPE_N(add_product)(uplo, 'N', 0, n, nrhs, -1, between, n, b_b, ldb, a_b, lda);
    if (a_b && !upper) ADTAPE_N(add_product)(uplo, 'N', 0, n, nrhs, -1, b_b, ldb, between, n, a_b, lda);
    free(between);
}

static inline void ADTAPE_N(posv_rev)(char uplo, int n, int nrhs, const ADTAPE_T *a, ADTAPE_T *a_b, int lda,
                                      const ADTAPE_T *b, ADTAPE_T *b_b, int ldb) {
    ADTAPE_N(potrs_rev)(uplo, n, nrhs, a, a_b, lda, b, b_b, ldb);
    ADTAPE_N(potrf_rev)(uplo, n, a, a_b, lda);
}
