/* stencil_b.c: the adjoint of misfit, written by adtape. */
/* version: 0.1.0
 * command: adtape adjoint stencil.c --head 'misfit(misfit)/(u rate)'
 * input: 9363eedd0661dab3 stencil.c
 * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to date. */
/* misfit_b takes these for different memory: *u, *v, *data. */

#include "stencil.c"
/* Both sweeps must compute the same bits: no product and sum in one rounding. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
#include <adtape.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stencil_b.h"

/* Stores of elements that have no value yet are harmless: nothing reads them again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* 0 where one of them is 0, also if the other is infinite or no number. */
static double zero_or_product(double partial, double derivative) {
    return derivative == 0.0 || partial == 0.0 ? 0.0 : partial * derivative;
}

#if defined(__GNUC__)
__attribute__((noinline, cold))
#endif
static double quotient_or_infinity_at_pole(double above, double below) {
    if (isunordered(above, below) || above == 0.0 || isinf(below)) return (double)NAN;
    if (isgreater(fabs(below), fabs(above) * 5.6e-309)) return above / below;
    return copysign((double)INFINITY, above) * copysign(1.0, below);
}

/* A quotient; where it is infinite or no number it raises nothing, because nobody may ask for it. */
static double quotient_or_infinity(double above, double below) {
    return isgreater(fabs(below), fabs(above) * 1.0e-300) ? above / below : quotient_or_infinity_at_pole(above, below);
}

/* Inner loops keep their pointers in registers in functions of their own. */
#if defined(__GNUC__) && !defined(__clang__)
#define APART __attribute__((noinline))
#else
#define APART
#endif

static APART void step_fwd(adtape_t *tape, int n, int m, double rate, double u[n][m], double v[n][m]);
static APART void step_rev(adtape_t *tape, int n, int m, double rate, double *rate_b, double *u, double *restrict u_b, double *restrict v_b);
static void misfit_fwd(adtape_t *tape, int n, int m, int steps, double rate, double u[n][m], double v[n][m], const double data[n][m]);
static void misfit_rev(adtape_t *tape, int n, int m, int steps, double rate, double *rate_b, double *u, double *restrict u_b, double *restrict v_b, double misfit_b);

static void step_fwd(adtape_t *tape, int n, int m, double rate, double u[n][m], double v[n][m]) {
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) {
            double flow = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j];
            v[i][j] = u[i][j] + 0.2 * flow + rate * u[i][j] * (1.0 - u[i][j]);
        }
    }
    for (int i = 1; i < n - 1; i++) {
        adtape_push_array_f64(tape, &u[i][1], (int64_t)(1 < m - 1 ? m - 2 : 0));
        for (int j = 1; j < m - 1; j++) {
            u[i][j] = v[i][j];
        }
    }
}

static void step_rev(adtape_t *tape, int n, int m, double rate, double *rate_b, double *u, double *restrict u_b, double *restrict v_b) {
    /* stencil.c:6 */
    double rate_b_1 = 0.0;
    /* stencil.c:13 */
    for (int i = n - 1; i-- > 1;) {
        /* stencil.c:14 */
        adtape_pop_array_f64(tape, &u[(ptrdiff_t)(i) * (ptrdiff_t)(m) + (ptrdiff_t)(1)], (int64_t)(1 < m - 1 ? m - 2 : 0));
        for (int j = 1; j < m - 1; ++j) {
            /* stencil.c:15 */
            const double seed = u_b[(ptrdiff_t)(i) * (ptrdiff_t)(m) + (ptrdiff_t)(j)];
            u_b[(ptrdiff_t)(i) * (ptrdiff_t)(m) + (ptrdiff_t)(j)] = 0.0;
            v_b[(ptrdiff_t)(i) * (ptrdiff_t)(m) + (ptrdiff_t)(j)] += seed;
        }
    }
    /* stencil.c:7 */
    for (int i_1 = n - 1; i_1-- > 1;) {
        /* stencil.c:8 */
        for (int j_1 = 1; j_1 < m - 1; ++j_1) {
            /* stencil.c:10 */
            const double seed_1 = v_b[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)];
            v_b[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)] = 0.0;
            u_b[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)] += seed_1;
            double flow_b = 0.2 * seed_1;
            const double seed_2 = (1.0 - u[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)]) * seed_1;
            rate_b_1 += u[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)] * seed_2;
            u_b[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)] += rate * seed_2;
            u_b[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)] -= rate * u[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)] * seed_1;
            /* stencil.c:9 */
            const double seed_3 = flow_b;
            flow_b = 0.0;
            u_b[(ptrdiff_t)(i_1 - 1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)] += seed_3;
            u_b[(ptrdiff_t)(i_1 + 1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)] += seed_3;
            u_b[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1 - 1)] += seed_3;
            u_b[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1 + 1)] += seed_3;
            u_b[(ptrdiff_t)(i_1) * (ptrdiff_t)(m) + (ptrdiff_t)(j_1)] += 4.0 * -seed_3;
        }
    }
    *rate_b += rate_b_1;
}

static void misfit_fwd(adtape_t *tape, int n, int m, int steps, double rate, double u[n][m], double v[n][m], const double data[n][m]) {
    double sum = 0.0;
    for (int t = 0; t < steps; t++) {
        step_fwd(tape, n, m, rate, u, v);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            double r = u[i][j] - data[i][j];
            sum += r * r;
            adtape_push_f64(tape, r);
        }
    }
    adtape_push_f64(tape, sum);
}

static void misfit_rev(adtape_t *tape, int n, int m, int steps, double rate, double *rate_b, double *u, double *restrict u_b, double *restrict v_b, double misfit_b) {
    /* stencil.c:21 */
    double sum;
    adtape_pop_f64(tape, &sum);
    double rate_b_1 = 0.0;
    double sum_b = zero_or_product(quotient_or_infinity(0.5, sqrt(sum)), misfit_b);
    /* stencil.c:26 */
    for (int i = n; i-- > 0;) {
        /* stencil.c:27 */
        for (int j = m; j-- > 0;) {
            double r;
            adtape_pop_f64(tape, &r);
            /* stencil.c:29 */
            const double seed = sum_b;
            double r_b = r * seed;
            r_b += r * seed;
            /* stencil.c:28 */
            const double seed_1 = r_b;
            r_b = 0.0;
            u_b[(ptrdiff_t)(i) * (ptrdiff_t)(m) + (ptrdiff_t)(j)] += seed_1;
        }
    }
    /* stencil.c:23 */
    for (int t = steps; t-- > 0;) {
        /* stencil.c:24 */
        double rate_b_2 = 0.0;
        step_rev(tape, n, m, rate, &rate_b_2, u, u_b, v_b);
        const double seed_2 = rate_b_2;
        rate_b_1 += seed_2;
    }
    /* stencil.c:22 */
    sum_b = 0.0;
    *rate_b += rate_b_1;
}

void misfit_b(int n, int m, int steps, double rate, double *rate_b, double u[n][m], double u_b[n][m], double v[n][m], double v_b[n][m], const double data[n][m], double misfit_b) {
    adtape_t *const tape = adtape_self();
    misfit_fwd(tape, n, m, steps, rate, u, v, data);
    misfit_rev(tape, n, m, steps, rate, (double *)rate_b, (double *)u, (double *)u_b, (double *)v_b, misfit_b);
}
