/* adtape/rules_solvers.h: derivatives of LAPACK's solvers of banded and symmetric systems, of their factors,
 * and of symmetric eigenvalues, under the names that Fortran
 * gives them: dgbsv_, spbsv_. The generator includes it where a program calls these and has no source of them; see
 * rules_blas.h for what the arguments are. They call nothing but syev and BLAS. */
#ifndef ADTAPE_RULES_SOLVERS_H
#define ADTAPE_RULES_SOLVERS_H

#include "rules_blas.h"

extern void adtape_blas_dsyev(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
                              double *work, const int *lwork, int *info) __asm__("dsyev_");
extern void adtape_blas_ssyev(const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w,
                              float *work, const int *lwork, int *info) __asm__("ssyev_");

#define ADTAPE_T double
#define ADTAPE_N(name) adtape_blas_d##name
#define ADTAPE_P(name) adtape_blas_by_value_d##name
#include "rules_solvers_cores.h"
#include "rules_factors_cores.h"
#undef ADTAPE_T
#undef ADTAPE_N
#undef ADTAPE_P

#define ADTAPE_T float
#define ADTAPE_N(name) adtape_blas_s##name
#define ADTAPE_P(name) adtape_blas_by_value_s##name
#include "rules_solvers_cores.h"
#include "rules_factors_cores.h"
#undef ADTAPE_T
#undef ADTAPE_N
#undef ADTAPE_P

/* What the reverse sweep calls. */
#define ADTAPE_SOLVER_RULES(letter, real) \
    static inline void letter##gbsv__rev(const int *n, const int *kl, const int *ku, const int *nrhs, \
        const real *ab, real *ab_b, const int *ldab, const int *ipiv, const real *b, real *b_b, const int *ldb, \
        const int *info) { \
        (void)info; \
        adtape_blas_##letter##gbsv_rev(*n, *kl, *ku, *nrhs, ab, ab_b, *ldab, ipiv, b, b_b, *ldb, \
            #letter "gbsv_"); \
    } \
    static inline void letter##pbsv__rev(const char *uplo, const int *n, const int *kd, const int *nrhs, \
        const real *ab, real *ab_b, const int *ldab, const real *b, real *b_b, const int *ldb, \
        const int *info) { \
        (void)info; \
        adtape_blas_##letter##pbsv_rev(*uplo, *n, *kd, *nrhs, ab, ab_b, *ldab, b, b_b, *ldb, #letter "pbsv_"); \
    } \
    static inline void letter##gtsv__rev(const int *n, const int *nrhs, const real *dl, real *dl_b, \
        const real *d, real *d_b, const real *du, real *du_b, const real *b, real *b_b, const int *ldb, \
        const int *info) { \
        (void)info; \
        adtape_blas_##letter##gtsv_rev(*n, *nrhs, dl, dl_b, d, d_b, du, du_b, b, b_b, *ldb, #letter "gtsv_"); \
    } \
    static inline void letter##ptsv__rev(const int *n, const int *nrhs, const real *d, real *d_b, \
        const real *e, real *e_b, const real *b, real *b_b, const int *ldb, const int *info) { \
        (void)info; \
        adtape_blas_##letter##ptsv_rev(*n, *nrhs, d, d_b, e, e_b, b, b_b, *ldb, #letter "ptsv_"); \
    } \
    static inline void letter##sysv__rev(const char *uplo, const int *n, const int *nrhs, const real *a, \
        real *a_b, const int *lda, const int *ipiv, const real *b, real *b_b, const int *ldb, const real *work, \
        real *work_b, const int *lwork, const int *info) { \
        (void)info; (void)work; \
        adtape_blas_##letter##sysv_rev(*uplo, *n, *nrhs, a, a_b, *lda, ipiv, b, b_b, *ldb, work_b, *lwork, \
            #letter "sysv_"); \
    } \
    static inline void letter##gbtrf__rev(const int *m, const int *n, const int *kl, const int *ku, const real *ab, \
        real *ab_b, const int *ldab, const int *ipiv, const int *info) { \
        (void)info; \
        adtape_blas_##letter##gbtrf_rev(*m, *n, *kl, *ku, ab, ab_b, *ldab, ipiv); \
    } \
    static inline void letter##gbtrs__rev(const char *trans, const int *n, const int *kl, const int *ku, \
        const int *nrhs, const real *ab, real *ab_b, const int *ldab, const int *ipiv, const real *b, real *b_b, \
        const int *ldb, const int *info) { \
        (void)info; \
        adtape_blas_##letter##gbtrs_rev(*trans, *n, *kl, *ku, *nrhs, ab, ab_b, *ldab, ipiv, b, b_b, *ldb); \
    } \
    static inline void letter##sytrf__rev(const char *uplo, const int *n, const real *a, real *a_b, const int *lda, \
        const int *ipiv, const real *work, real *work_b, const int *lwork, const int *info) { \
        (void)info; (void)work; \
        adtape_blas_##letter##sytrf_rev(*uplo, *n, a, a_b, *lda, ipiv, work_b, *lwork); \
    } \
    static inline void letter##sytrs__rev(const char *uplo, const int *n, const int *nrhs, const real *a, real *a_b, \
        const int *lda, const int *ipiv, const real *b, real *b_b, const int *ldb, const int *info) { \
        (void)info; \
        adtape_blas_##letter##sytrs_rev(*uplo, *n, *nrhs, a, a_b, *lda, ipiv, b, b_b, *ldb); \
    } \
    static inline void letter##syev__rev(const char *jobz, const char *uplo, const int *n, const real *a, real *a_b, \
        const int *lda, const real *w, real *w_b, const real *work, real *work_b, const int *lwork, \
        const int *info) { \
        (void)info; (void)w; (void)work; \
        adtape_blas_##letter##syev_rev(*jobz, *uplo, *n, a, a_b, *lda, w_b, work_b, *lwork, #letter "syev_"); \
    }

ADTAPE_SOLVER_RULES(d, double)
ADTAPE_SOLVER_RULES(s, float)

#endif
