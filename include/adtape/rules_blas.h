/* adtape/rules_blas.h: derivatives of BLAS and LAPACK under the names that Fortran gives them: dgemm_, sgemm_, dgesv_.
 * The generator includes it where a program calls these and has no source of them.
 *
 * Each f_rev takes the arguments of f; behind each real one its adjoint, NULL where nobody wants it; last the adjoint
 * of the result. It calls the program's own BLAS. */
#ifndef ADTAPE_RULES_BLAS_H
#define ADTAPE_RULES_BLAS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program's BLAS under names of its own: what the program declares of it stays as it is. */
#define ADTAPE_BLAS_FUNCTIONS(letter, real) \
    extern real adtape_blas_##letter##dot(const int *n, const real *x, const int *incx, const real *y, \
        const int *incy) \
        __asm__(#letter "dot_"); \
    extern void adtape_blas_##letter##axpy(const int *n, const real *a, const real *x, const int *incx, real *y, \
        const int *incy) \
        __asm__(#letter "axpy_"); \
    extern real adtape_blas_##letter##nrm2(const int *n, const real *x, const int *incx) \
        __asm__(#letter "nrm2_"); \
    extern void adtape_blas_##letter##gemv(const char *trans, const int *m, const int *n, const real *alpha, \
        const real *a, const int *lda, const real *x, const int *incx, const real *beta, real *y, const int *incy) \
        __asm__(#letter "gemv_"); \
    extern void adtape_blas_##letter##ger(const int *m, const int *n, const real *alpha, const real *x, \
        const int *incx, const real *y, const int *incy, real *a, const int *lda) \
        __asm__(#letter "ger_"); \
    extern void adtape_blas_##letter##symv(const char *uplo, const int *n, const real *alpha, const real *a, \
        const int *lda, const real *x, const int *incx, const real *beta, real *y, const int *incy) \
        __asm__(#letter "symv_"); \
    extern void adtape_blas_##letter##trsv(const char *uplo, const char *trans, const char *diag, const int *n, \
        const real *a, const int *lda, real *x, const int *incx) \
        __asm__(#letter "trsv_"); \
    extern void adtape_blas_##letter##trmv(const char *uplo, const char *trans, const char *diag, const int *n, \
        const real *a, const int *lda, real *x, const int *incx) \
        __asm__(#letter "trmv_"); \
    extern void adtape_blas_##letter##gemm(const char *transa, const char *transb, const int *m, const int *n, \
        const int *k, const real *alpha, const real *a, const int *lda, const real *b, const int *ldb, \
        const real *beta, real *c, const int *ldc) \
        __asm__(#letter "gemm_"); \
    extern void adtape_blas_##letter##symm(const char *side, const char *uplo, const int *m, const int *n, \
        const real *alpha, const real *a, const int *lda, const real *b, const int *ldb, const real *beta, \
        real *c, const int *ldc) \
        __asm__(#letter "symm_"); \
    extern void adtape_blas_##letter##trsm(const char *side, const char *uplo, const char *transa, \
        const char *diag, const int *m, const int *n, const real *alpha, const real *a, const int *lda, real *b, \
        const int *ldb) \
        __asm__(#letter "trsm_"); \
    extern void adtape_blas_##letter##trmm(const char *side, const char *uplo, const char *transa, \
        const char *diag, const int *m, const int *n, const real *alpha, const real *a, const int *lda, real *b, \
        const int *ldb) \
        __asm__(#letter "trmm_");

ADTAPE_BLAS_FUNCTIONS(d, double)
ADTAPE_BLAS_FUNCTIONS(s, float)

/* BLAS with each number by value. */
#define ADTAPE_BLAS_BY_VALUE(letter, real) \
    static inline real adtape_blas_by_value_##letter##dot(int n, const real *x, int incx, const real *y, \
        int incy) { \
        return adtape_blas_##letter##dot(&n, x, &incx, y, &incy); \
    } \
    static inline void adtape_blas_by_value_##letter##axpy(int n, real a, const real *x, int incx, real *y, \
        int incy) { \
        adtape_blas_##letter##axpy(&n, &a, x, &incx, y, &incy); \
    } \
    static inline real adtape_blas_by_value_##letter##nrm2(int n, const real *x, int incx) { \
        return adtape_blas_##letter##nrm2(&n, x, &incx); \
    } \
    static inline void adtape_blas_by_value_##letter##gemv(char trans, int m, int n, real alpha, const real *a, \
        int lda, const real *x, int incx, real beta, real *y, int incy) { \
        adtape_blas_##letter##gemv(&trans, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy); \
    } \
    static inline void adtape_blas_by_value_##letter##ger(int m, int n, real alpha, const real *x, int incx, \
        const real *y, int incy, real *a, int lda) { \
        adtape_blas_##letter##ger(&m, &n, &alpha, x, &incx, y, &incy, a, &lda); \
    } \
    static inline void adtape_blas_by_value_##letter##symv(char uplo, int n, real alpha, const real *a, int lda, \
        const real *x, int incx, real beta, real *y, int incy) { \
        adtape_blas_##letter##symv(&uplo, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy); \
    } \
    static inline void adtape_blas_by_value_##letter##trsv(char uplo, char trans, char diag, int n, const real *a, \
        int lda, real *x, int incx) { \
        adtape_blas_##letter##trsv(&uplo, &trans, &diag, &n, a, &lda, x, &incx); \
    } \
    static inline void adtape_blas_by_value_##letter##trmv(char uplo, char trans, char diag, int n, const real *a, \
        int lda, real *x, int incx) { \
        adtape_blas_##letter##trmv(&uplo, &trans, &diag, &n, a, &lda, x, &incx); \
    } \
    static inline void adtape_blas_by_value_##letter##gemm(char transa, char transb, int m, int n, int k, \
        real alpha, const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc) { \
        adtape_blas_##letter##gemm(&transa, &transb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc); \
    } \
    static inline void adtape_blas_by_value_##letter##symm(char side, char uplo, int m, int n, real alpha, \
        const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc) { \
        adtape_blas_##letter##symm(&side, &uplo, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c, &ldc); \
    } \
    static inline void adtape_blas_by_value_##letter##trsm(char side, char uplo, char transa, char diag, int m, \
        int n, real alpha, const real *a, int lda, real *b, int ldb) { \
        adtape_blas_##letter##trsm(&side, &uplo, &transa, &diag, &m, &n, &alpha, a, &lda, b, &ldb); \
    } \
    static inline void adtape_blas_by_value_##letter##trmm(char side, char uplo, char transa, char diag, int m, \
        int n, real alpha, const real *a, int lda, real *b, int ldb) { \
        adtape_blas_##letter##trmm(&side, &uplo, &transa, &diag, &m, &n, &alpha, a, &lda, b, &ldb); \
    }

ADTAPE_BLAS_BY_VALUE(d, double)
ADTAPE_BLAS_BY_VALUE(s, float)

#define ADTAPE_T double
#define ADTAPE_N(name) adtape_blas_d##name
#define ADTAPE_P(name) adtape_blas_by_value_d##name
#include "rules_blas_cores.h"
#undef ADTAPE_T
#undef ADTAPE_N
#undef ADTAPE_P

#define ADTAPE_T float
#define ADTAPE_N(name) adtape_blas_s##name
#define ADTAPE_P(name) adtape_blas_by_value_s##name
#include "rules_blas_cores.h"
#undef ADTAPE_T
#undef ADTAPE_N
#undef ADTAPE_P

static inline void adtape_blas_is_square(int m, int n, const char *name) {
    if (m == n) return;
    fprintf(stderr, "adtape: the adjoint of %s takes square matrices; here is one of %d x %d\n", name, m, n);
    abort();
}

/* What the reverse sweep calls. */
#define ADTAPE_BLAS_RULES(letter, real) \
    static inline void letter##dot__rev(const int *n, const real *x, real *x_b, const int *incx, const real *y, \
        real *y_b, const int *incy, real seed) { \
        adtape_blas_##letter##dot_rev(*n, x, x_b, *incx, y, y_b, *incy, seed); \
    } \
    static inline void letter##axpy__rev(const int *n, const real *a, real *a_b, const real *x, real *x_b, \
        const int *incx, const real *y, real *y_b, const int *incy) { \
        (void)y; \
        adtape_blas_##letter##axpy_rev(*n, *a, a_b, x, x_b, *incx, y_b, *incy); \
    } \
    static inline void letter##scal__rev(const int *n, const real *a, real *a_b, const real *x, real *x_b, \
        const int *incx) { \
        adtape_blas_##letter##scal_rev(*n, *a, a_b, x, x_b, *incx); \
    } \
    static inline void letter##copy__rev(const int *n, const real *x, real *x_b, const int *incx, const real *y, \
        real *y_b, const int *incy) { \
        (void)x; (void)y; \
        adtape_blas_##letter##copy_rev(*n, x_b, *incx, y_b, *incy); \
    } \
    static inline void letter##swap__rev(const int *n, const real *x, real *x_b, const int *incx, const real *y, \
        real *y_b, const int *incy) { \
        (void)x; (void)y; \
        adtape_blas_##letter##swap_rev(*n, x_b, *incx, y_b, *incy); \
    } \
    static inline void letter##nrm2__rev(const int *n, const real *x, real *x_b, const int *incx, real seed) { \
        adtape_blas_##letter##nrm2_rev(*n, x, x_b, *incx, seed); \
    } \
    static inline void letter##asum__rev(const int *n, const real *x, real *x_b, const int *incx, real seed) { \
        adtape_blas_##letter##asum_rev(*n, x, x_b, *incx, seed); \
    } \
    static inline void letter##gemv__rev(const char *trans, const int *m, const int *n, const real *alpha, \
        real *alpha_b, const real *a, real *a_b, const int *lda, const real *x, real *x_b, const int *incx, \
        const real *beta, real *beta_b, const real *y, real *y_b, const int *incy) { \
        adtape_blas_##letter##gemv_rev(*trans, *m, *n, *alpha, alpha_b, a, a_b, *lda, x, x_b, *incx, *beta, \
            beta_b, y, y_b, *incy); \
    } \
    static inline void letter##ger__rev(const int *m, const int *n, const real *alpha, real *alpha_b, \
        const real *x, real *x_b, const int *incx, const real *y, real *y_b, const int *incy, const real *a, \
        real *a_b, const int *lda) { \
        (void)a; \
        adtape_blas_##letter##ger_rev(*m, *n, *alpha, alpha_b, x, x_b, *incx, y, y_b, *incy, a_b, *lda); \
    } \
    static inline void letter##symv__rev(const char *uplo, const int *n, const real *alpha, real *alpha_b, \
        const real *a, real *a_b, const int *lda, const real *x, real *x_b, const int *incx, const real *beta, \
        real *beta_b, const real *y, real *y_b, const int *incy) { \
        adtape_blas_##letter##symv_rev(*uplo, *n, *alpha, alpha_b, a, a_b, *lda, x, x_b, *incx, *beta, beta_b, y, \
            y_b, *incy); \
    } \
    static inline void letter##trsv__rev(const char *uplo, const char *trans, const char *diag, const int *n, \
        const real *a, real *a_b, const int *lda, const real *x, real *x_b, const int *incx) { \
        adtape_blas_##letter##trsv_rev(*uplo, *trans, *diag, *n, a, a_b, *lda, x, x_b, *incx); \
    } \
    static inline void letter##trmv__rev(const char *uplo, const char *trans, const char *diag, const int *n, \
        const real *a, real *a_b, const int *lda, const real *x, real *x_b, const int *incx) { \
        adtape_blas_##letter##trmv_rev(*uplo, *trans, *diag, *n, a, a_b, *lda, x, x_b, *incx); \
    } \
    static inline void letter##gemm__rev(const char *transa, const char *transb, const int *m, const int *n, \
        const int *k, const real *alpha, real *alpha_b, const real *a, real *a_b, const int *lda, const real *b, \
        real *b_b, const int *ldb, const real *beta, real *beta_b, const real *c, real *c_b, const int *ldc) { \
        adtape_blas_##letter##gemm_rev(*transa, *transb, *m, *n, *k, *alpha, alpha_b, a, a_b, *lda, b, b_b, *ldb, \
            *beta, beta_b, c, c_b, *ldc); \
    } \
    static inline void letter##symm__rev(const char *side, const char *uplo, const int *m, const int *n, \
        const real *alpha, real *alpha_b, const real *a, real *a_b, const int *lda, const real *b, real *b_b, \
        const int *ldb, const real *beta, real *beta_b, const real *c, real *c_b, const int *ldc) { \
        adtape_blas_##letter##symm_rev(*side, *uplo, *m, *n, *alpha, alpha_b, a, a_b, *lda, b, b_b, *ldb, *beta, \
            beta_b, c, c_b, *ldc); \
    } \
    static inline void letter##syrk__rev(const char *uplo, const char *trans, const int *n, const int *k, \
        const real *alpha, real *alpha_b, const real *a, real *a_b, const int *lda, const real *beta, \
        real *beta_b, const real *c, real *c_b, const int *ldc) { \
        adtape_blas_##letter##syrk_rev(*uplo, *trans, *n, *k, *alpha, alpha_b, a, a_b, *lda, *beta, beta_b, c, \
            c_b, *ldc); \
    } \
    static inline void letter##trsm__rev(const char *side, const char *uplo, const char *transa, const char *diag, \
        const int *m, const int *n, const real *alpha, real *alpha_b, const real *a, real *a_b, const int *lda, \
        const real *b, real *b_b, const int *ldb) { \
        adtape_blas_##letter##trsm_rev(*side, *uplo, *transa, *diag, *m, *n, *alpha, alpha_b, a, a_b, *lda, b, \
            b_b, *ldb); \
    } \
    static inline void letter##trmm__rev(const char *side, const char *uplo, const char *transa, const char *diag, \
        const int *m, const int *n, const real *alpha, real *alpha_b, const real *a, real *a_b, const int *lda, \
        const real *b, real *b_b, const int *ldb) { \
        adtape_blas_##letter##trmm_rev(*side, *uplo, *transa, *diag, *m, *n, *alpha, alpha_b, a, a_b, *lda, b, \
            b_b, *ldb); \
    } \
    static inline void letter##getrf__rev(const int *m, const int *n, const real *a, real *a_b, const int *lda, \
        const int *ipiv, const int *info) { \
        adtape_blas_is_square(*m, *n, #letter "getrf_"); \
        (void)info; \
        adtape_blas_##letter##getrf_rev(*n, a, a_b, *lda, ipiv); \
    } \
    static inline void letter##getrs__rev(const char *trans, const int *n, const int *nrhs, const real *a, \
        real *a_b, const int *lda, const int *ipiv, const real *b, real *b_b, const int *ldb, const int *info) { \
        (void)info; \
        adtape_blas_##letter##getrs_rev(*trans, *n, *nrhs, a, a_b, *lda, ipiv, b, b_b, *ldb); \
    } \
    static inline void letter##gesv__rev(const int *n, const int *nrhs, const real *a, real *a_b, const int *lda, \
        const int *ipiv, const real *b, real *b_b, const int *ldb, const int *info) { \
        (void)info; \
        adtape_blas_##letter##gesv_rev(*n, *nrhs, a, a_b, *lda, ipiv, b, b_b, *ldb); \
    } \
    static inline void letter##potrf__rev(const char *uplo, const int *n, const real *a, real *a_b, \
        const int *lda, const int *info) { \
        (void)info; \
        adtape_blas_##letter##potrf_rev(*uplo, *n, a, a_b, *lda); \
    } \
    static inline void letter##potrs__rev(const char *uplo, const int *n, const int *nrhs, const real *a, \
        real *a_b, const int *lda, const real *b, real *b_b, const int *ldb, const int *info) { \
        (void)info; \
        adtape_blas_##letter##potrs_rev(*uplo, *n, *nrhs, a, a_b, *lda, b, b_b, *ldb); \
    } \
    static inline void letter##posv__rev(const char *uplo, const int *n, const int *nrhs, const real *a, \
        real *a_b, const int *lda, const real *b, real *b_b, const int *ldb, const int *info) { \
        (void)info; \
        adtape_blas_##letter##posv_rev(*uplo, *n, *nrhs, a, a_b, *lda, b, b_b, *ldb); \
    }

ADTAPE_BLAS_RULES(d, double)
ADTAPE_BLAS_RULES(s, float)

#endif
