/* adtape/rules_cblas.h: derivatives of the C interface of BLAS: cblas_dgemm, cblas_sgemm. The generator includes it
 * where a program calls these and has no source of them. Matrices may be stored by rows or by columns.
 *
 * Each f_rev takes the arguments of f; behind each real one its adjoint, NULL where nobody wants it; last the adjoint
 * of the result. It calls the program's own BLAS. */
#ifndef ADTAPE_RULES_CBLAS_H
#define ADTAPE_RULES_CBLAS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program's BLAS under names of its own: what the program declares of it stays as it is. */
#define ADTAPE_CBLAS_FUNCTIONS(letter, real) \
    extern real adtape_cblas_function_##letter##dot(int n, const real *x, int incx, const real *y, int incy) \
        __asm__("cblas_" #letter "dot"); \
    extern void adtape_cblas_function_##letter##axpy(int n, real a, const real *x, int incx, real *y, int incy) \
        __asm__("cblas_" #letter "axpy"); \
    extern real adtape_cblas_function_##letter##nrm2(int n, const real *x, int incx) \
        __asm__("cblas_" #letter "nrm2"); \
    extern void adtape_cblas_function_##letter##gemv(int order, int trans, int m, int n, real alpha, \
        const real *a, int lda, const real *x, int incx, real beta, real *y, int incy) \
        __asm__("cblas_" #letter "gemv"); \
    extern void adtape_cblas_function_##letter##ger(int order, int m, int n, real alpha, const real *x, int incx, \
        const real *y, int incy, real *a, int lda) \
        __asm__("cblas_" #letter "ger"); \
    extern void adtape_cblas_function_##letter##symv(int order, int uplo, int n, real alpha, const real *a, \
        int lda, const real *x, int incx, real beta, real *y, int incy) \
        __asm__("cblas_" #letter "symv"); \
    extern void adtape_cblas_function_##letter##trsv(int order, int uplo, int trans, int diag, int n, \
        const real *a, int lda, real *x, int incx) \
        __asm__("cblas_" #letter "trsv"); \
    extern void adtape_cblas_function_##letter##trmv(int order, int uplo, int trans, int diag, int n, \
        const real *a, int lda, real *x, int incx) \
        __asm__("cblas_" #letter "trmv"); \
    extern void adtape_cblas_function_##letter##gemm(int order, int transa, int transb, int m, int n, int k, \
        real alpha, const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc) \
        __asm__("cblas_" #letter "gemm"); \
    extern void adtape_cblas_function_##letter##symm(int order, int side, int uplo, int m, int n, real alpha, \
        const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc) \
        __asm__("cblas_" #letter "symm"); \
    extern void adtape_cblas_function_##letter##trsm(int order, int side, int uplo, int transa, int diag, int m, \
        int n, real alpha, const real *a, int lda, real *b, int ldb) \
        __asm__("cblas_" #letter "trsm"); \
    extern void adtape_cblas_function_##letter##trmm(int order, int side, int uplo, int transa, int diag, int m, \
        int n, real alpha, const real *a, int lda, real *b, int ldb) \
        __asm__("cblas_" #letter "trmm");

ADTAPE_CBLAS_FUNCTIONS(d, double)
ADTAPE_CBLAS_FUNCTIONS(s, float)

/* Letters, and the numbers that the C interface has for them. */
static inline int adtape_cblas_number(char letter) {
    switch (letter) {
    case 'N': return 111;
    case 'T': return 112;
    case 'U': return 121;
    default: return letter == 'L' ? 122 : 111;
    }
}
static inline char adtape_cblas_trans(int number, int flip) { return (number == 111) != flip ? 'N' : 'T'; }
static inline char adtape_cblas_uplo(int number, int flip) { return (number == 121) != flip ? 'U' : 'L'; }
static inline char adtape_cblas_side(int number, int flip) { return (number == 141) != flip ? 'L' : 'R'; }
static inline char adtape_cblas_diag(int number) { return number == 132 ? 'U' : 'N'; }

/* BLAS by columns, with letters. */
#define ADTAPE_CBLAS_BY_VALUE(letter, real) \
    static inline real adtape_cblas_by_value_##letter##dot(int n, const real *x, int incx, const real *y, \
        int incy) { \
        return adtape_cblas_function_##letter##dot(n, x, incx, y, incy); \
    } \
    static inline void adtape_cblas_by_value_##letter##axpy(int n, real a, const real *x, int incx, real *y, \
        int incy) { \
        adtape_cblas_function_##letter##axpy(n, a, x, incx, y, incy); \
    } \
    static inline real adtape_cblas_by_value_##letter##nrm2(int n, const real *x, int incx) { \
        return adtape_cblas_function_##letter##nrm2(n, x, incx); \
    } \
    static inline void adtape_cblas_by_value_##letter##gemv(char trans, int m, int n, real alpha, const real *a, \
        int lda, const real *x, int incx, real beta, real *y, int incy) { \
        adtape_cblas_function_##letter##gemv(102, adtape_cblas_number(trans), m, n, alpha, a, lda, x, incx, beta, \
            y, incy); \
    } \
    static inline void adtape_cblas_by_value_##letter##ger(int m, int n, real alpha, const real *x, int incx, \
        const real *y, int incy, real *a, int lda) { \
        adtape_cblas_function_##letter##ger(102, m, n, alpha, x, incx, y, incy, a, lda); \
    } \
    static inline void adtape_cblas_by_value_##letter##symv(char uplo, int n, real alpha, const real *a, int lda, \
        const real *x, int incx, real beta, real *y, int incy) { \
        adtape_cblas_function_##letter##symv(102, adtape_cblas_number(uplo), n, alpha, a, lda, x, incx, beta, y, \
            incy); \
    } \
    static inline void adtape_cblas_by_value_##letter##trsv(char uplo, char trans, char diag, int n, \
        const real *a, int lda, real *x, int incx) { \
        adtape_cblas_function_##letter##trsv(102, adtape_cblas_number(uplo), adtape_cblas_number(trans), \
            diag == 'U' ? 132 : 131, n, a, lda, x, incx); \
    } \
    static inline void adtape_cblas_by_value_##letter##trmv(char uplo, char trans, char diag, int n, \
        const real *a, int lda, real *x, int incx) { \
        adtape_cblas_function_##letter##trmv(102, adtape_cblas_number(uplo), adtape_cblas_number(trans), \
            diag == 'U' ? 132 : 131, n, a, lda, x, incx); \
    } \
    static inline void adtape_cblas_by_value_##letter##gemm(char transa, char transb, int m, int n, int k, \
        real alpha, const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc) { \
        adtape_cblas_function_##letter##gemm(102, adtape_cblas_number(transa), adtape_cblas_number(transb), m, n, \
            k, alpha, a, lda, b, ldb, beta, c, ldc); \
    } \
    static inline void adtape_cblas_by_value_##letter##symm(char side, char uplo, int m, int n, real alpha, \
        const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc) { \
        adtape_cblas_function_##letter##symm(102, side == 'L' ? 141 : 142, adtape_cblas_number(uplo), m, n, alpha, \
            a, lda, b, ldb, beta, c, ldc); \
    } \
    static inline void adtape_cblas_by_value_##letter##trsm(char side, char uplo, char transa, char diag, int m, \
        int n, real alpha, const real *a, int lda, real *b, int ldb) { \
        adtape_cblas_function_##letter##trsm(102, side == 'L' ? 141 : 142, adtape_cblas_number(uplo), \
            adtape_cblas_number(transa), diag == 'U' ? 132 : 131, m, n, alpha, a, lda, b, ldb); \
    } \
    static inline void adtape_cblas_by_value_##letter##trmm(char side, char uplo, char transa, char diag, int m, \
        int n, real alpha, const real *a, int lda, real *b, int ldb) { \
        adtape_cblas_function_##letter##trmm(102, side == 'L' ? 141 : 142, adtape_cblas_number(uplo), \
            adtape_cblas_number(transa), diag == 'U' ? 132 : 131, m, n, alpha, a, lda, b, ldb); \
    }

ADTAPE_CBLAS_BY_VALUE(d, double)
ADTAPE_CBLAS_BY_VALUE(s, float)

#define ADTAPE_T double
#define ADTAPE_N(name) adtape_cblas_d##name
#define ADTAPE_P(name) adtape_cblas_by_value_d##name
#include "rules_blas_cores.h"
#undef ADTAPE_T
#undef ADTAPE_N
#undef ADTAPE_P

#define ADTAPE_T float
#define ADTAPE_N(name) adtape_cblas_s##name
#define ADTAPE_P(name) adtape_cblas_by_value_s##name
#include "rules_blas_cores.h"
#undef ADTAPE_T
#undef ADTAPE_N
#undef ADTAPE_P

/* What the reverse sweep calls. */
#define ADTAPE_CBLAS_RULES(letter, real) \
    static inline void cblas_##letter##dot_rev(int n, const real *x, real *x_b, int incx, const real *y, \
        real *y_b, int incy, real seed) { \
        adtape_cblas_##letter##dot_rev(n, x, x_b, incx, y, y_b, incy, seed); \
    } \
    static inline void cblas_##letter##axpy_rev(int n, real a, real *a_b, const real *x, real *x_b, int incx, \
        const real *y, real *y_b, int incy) { \
        (void)y; \
        adtape_cblas_##letter##axpy_rev(n, a, a_b, x, x_b, incx, y_b, incy); \
    } \
    static inline void cblas_##letter##scal_rev(int n, real a, real *a_b, const real *x, real *x_b, int incx) { \
        adtape_cblas_##letter##scal_rev(n, a, a_b, x, x_b, incx); \
    } \
    static inline void cblas_##letter##copy_rev(int n, const real *x, real *x_b, int incx, const real *y, \
        real *y_b, int incy) { \
        (void)x; (void)y; \
        adtape_cblas_##letter##copy_rev(n, x_b, incx, y_b, incy); \
    } \
    static inline void cblas_##letter##swap_rev(int n, const real *x, real *x_b, int incx, const real *y, \
        real *y_b, int incy) { \
        (void)x; (void)y; \
        adtape_cblas_##letter##swap_rev(n, x_b, incx, y_b, incy); \
    } \
    static inline void cblas_##letter##nrm2_rev(int n, const real *x, real *x_b, int incx, real seed) { \
        adtape_cblas_##letter##nrm2_rev(n, x, x_b, incx, seed); \
    } \
    static inline void cblas_##letter##asum_rev(int n, const real *x, real *x_b, int incx, real seed) { \
        adtape_cblas_##letter##asum_rev(n, x, x_b, incx, seed); \
    } \
    static inline void cblas_##letter##gemv_rev(int order, int trans, int m, int n, real alpha, real *alpha_b, \
        const real *a, real *a_b, int lda, const real *x, real *x_b, int incx, real beta, real *beta_b, \
        const real *y, real *y_b, int incy) { \
        const int rows = order == 101; \
        adtape_cblas_##letter##gemv_rev(adtape_cblas_trans(trans, rows), rows ? n : m, rows ? m : n, alpha, \
            alpha_b, a, a_b, lda, x, x_b, incx, beta, beta_b, y, y_b, incy); \
    } \
    static inline void cblas_##letter##ger_rev(int order, int m, int n, real alpha, real *alpha_b, const real *x, \
        real *x_b, int incx, const real *y, real *y_b, int incy, const real *a, real *a_b, int lda) { \
        (void)a; \
        if (order == 101) adtape_cblas_##letter##ger_rev(n, m, alpha, alpha_b, y, y_b, incy, x, x_b, incx, a_b, \
            lda); \
        else adtape_cblas_##letter##ger_rev(m, n, alpha, alpha_b, x, x_b, incx, y, y_b, incy, a_b, lda); \
    } \
    static inline void cblas_##letter##symv_rev(int order, int uplo, int n, real alpha, real *alpha_b, \
        const real *a, real *a_b, int lda, const real *x, real *x_b, int incx, real beta, real *beta_b, \
        const real *y, real *y_b, int incy) { \
        const int rows = order == 101; \
        adtape_cblas_##letter##symv_rev(adtape_cblas_uplo(uplo, rows), n, alpha, alpha_b, a, a_b, lda, x, x_b, \
            incx, beta, beta_b, y, y_b, incy); \
    } \
    static inline void cblas_##letter##trsv_rev(int order, int uplo, int trans, int diag, int n, const real *a, \
        real *a_b, int lda, const real *x, real *x_b, int incx) { \
        const int rows = order == 101; \
        adtape_cblas_##letter##trsv_rev(adtape_cblas_uplo(uplo, rows), adtape_cblas_trans(trans, rows), \
            adtape_cblas_diag(diag), n, a, a_b, lda, x, x_b, incx); \
    } \
    static inline void cblas_##letter##trmv_rev(int order, int uplo, int trans, int diag, int n, const real *a, \
        real *a_b, int lda, const real *x, real *x_b, int incx) { \
        const int rows = order == 101; \
        adtape_cblas_##letter##trmv_rev(adtape_cblas_uplo(uplo, rows), adtape_cblas_trans(trans, rows), \
            adtape_cblas_diag(diag), n, a, a_b, lda, x, x_b, incx); \
    } \
    static inline void cblas_##letter##gemm_rev(int order, int transa, int transb, int m, int n, int k, \
        real alpha, real *alpha_b, const real *a, real *a_b, int lda, const real *b, real *b_b, int ldb, \
        real beta, real *beta_b, const real *c, real *c_b, int ldc) { \
        if (order == 101) adtape_cblas_##letter##gemm_rev(adtape_cblas_trans(transb, 0), \
            adtape_cblas_trans(transa, 0), n, m, k, alpha, alpha_b, b, b_b, ldb, a, a_b, lda, beta, beta_b, c, \
            c_b, ldc); \
        else adtape_cblas_##letter##gemm_rev(adtape_cblas_trans(transa, 0), adtape_cblas_trans(transb, 0), m, n, \
            k, alpha, alpha_b, a, a_b, lda, b, b_b, ldb, beta, beta_b, c, c_b, ldc); \
    } \
    static inline void cblas_##letter##symm_rev(int order, int side, int uplo, int m, int n, real alpha, \
        real *alpha_b, const real *a, real *a_b, int lda, const real *b, real *b_b, int ldb, real beta, \
        real *beta_b, const real *c, real *c_b, int ldc) { \
        const int rows = order == 101; \
        adtape_cblas_##letter##symm_rev(adtape_cblas_side(side, rows), adtape_cblas_uplo(uplo, rows), \
            rows ? n : m, rows ? m : n, alpha, alpha_b, a, a_b, lda, b, b_b, ldb, beta, beta_b, c, c_b, ldc); \
    } \
    static inline void cblas_##letter##syrk_rev(int order, int uplo, int trans, int n, int k, real alpha, \
        real *alpha_b, const real *a, real *a_b, int lda, real beta, real *beta_b, const real *c, real *c_b, \
        int ldc) { \
        const int rows = order == 101; \
        adtape_cblas_##letter##syrk_rev(adtape_cblas_uplo(uplo, rows), adtape_cblas_trans(trans, rows), n, k, \
            alpha, alpha_b, a, a_b, lda, beta, beta_b, c, c_b, ldc); \
    } \
    static inline void cblas_##letter##trsm_rev(int order, int side, int uplo, int transa, int diag, int m, int n, \
        real alpha, real *alpha_b, const real *a, real *a_b, int lda, const real *b, real *b_b, int ldb) { \
        const int rows = order == 101; \
        adtape_cblas_##letter##trsm_rev(adtape_cblas_side(side, rows), adtape_cblas_uplo(uplo, rows), \
            adtape_cblas_trans(transa, 0), adtape_cblas_diag(diag), rows ? n : m, rows ? m : n, alpha, alpha_b, a, \
            a_b, lda, b, b_b, ldb); \
    } \
    static inline void cblas_##letter##trmm_rev(int order, int side, int uplo, int transa, int diag, int m, int n, \
        real alpha, real *alpha_b, const real *a, real *a_b, int lda, const real *b, real *b_b, int ldb) { \
        const int rows = order == 101; \
        adtape_cblas_##letter##trmm_rev(adtape_cblas_side(side, rows), adtape_cblas_uplo(uplo, rows), \
            adtape_cblas_trans(transa, 0), adtape_cblas_diag(diag), rows ? n : m, rows ? m : n, alpha, alpha_b, a, \
            a_b, lda, b, b_b, ldb); \
    }

ADTAPE_CBLAS_RULES(d, double)
ADTAPE_CBLAS_RULES(s, float)

#endif
