/* least_squares_b.c: the adjoint of cost, written by adtape. */
/* version: 0.1.0
 * command: adtape adjoint least_squares.c --head 'cost(cost)/(p)'
 * input: da223031ed7eebc8 least_squares.c
 * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to date. */
/* cost_b takes these for different memory: *t, *y, *p. */

#include "least_squares.c"
/* Both sweeps must compute the same bits: no product and sum in one rounding. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
/* The reverse sweep has what these stood for. */
__extension__ _Static_assert((ORDER) == (4), "ORDER has changed: run adtape again");
__extension__ _Static_assert(__builtin_fpclassify(1, 1, 1, 1, 0, (SQUARE(1.75)) == (((1.75) * (1.75))) ? 1.0 : 0.0),
                             "SQUARE has changed: run adtape again");
#include <adtape.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "least_squares_b.h"

/* Stores of elements that have no value yet are harmless: nothing reads them again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

static void cost_fwd(adtape_t *tape, int n, const double *t, const double *y, const double *p, double limit);
static void cost_rev(adtape_t *tape, int n, double *t, double *y, double *p, double *restrict p_b, double limit, double cost_b);

static void cost_fwd(adtape_t *tape, int n, const double *t, const double *y, const double *p, double limit) {
    (void)limit;
    for (int i = 0; i < n; i++) {
        double model = 0.0;
        if (isnan(y[i])) {
        } else {
            for (int k = 0; k < 4; k++) {
                model += p[2 * k] * exp(-weight[k] * t[i]) * sin(p[2 * k + 1] * t[i]);
            }
            double r = fabs(model - y[i]);
            adtape_push_record_f64(tape, (const double[]){model, r}, 2);
        }
    }
}

static void cost_rev(adtape_t *tape, int n, double *t, double *y, double *p, double *restrict p_b, double limit, double cost_b) {
    /* least_squares.c:12 */
    double sum_b = cost_b;
    /* least_squares.c:17 */
    for (int i = n; i-- > 0;) {
        double model_b = 0.0;
        /* least_squares.c:22 */
        if (isnan(y[i])) {
        } else {
            /* least_squares.c:19 */
            double record[2];
            adtape_pop_record_f64(tape, record, 2);
            const double r = record[1];
            const double model = record[0];
            double r_b = 0.0;
            /* least_squares.c:26 */
            const double seed = sum_b;
            double choice_b = seed;
            if (r < limit) {
                const double seed_1 = choice_b;
                choice_b = 0.0;
                r_b += r * (0.5 * seed_1);
                r_b += r * (0.5 * seed_1);
            } else {
                const double seed_2 = choice_b;
                choice_b = 0.0;
                r_b += limit * seed_2;
            }
            /* least_squares.c:25 */
            const double seed_3 = r_b;
            r_b = 0.0;
            const double x_1 = model - y[i];
            model_b += copysign(1.0, x_1) * seed_3;
            /* least_squares.c:22 */
            for (int k = 0; k < 4; ++k) {
                /* least_squares.c:23 */
                const double seed_4 = model_b;
                const double value_1 = exp(-weight[k] * t[i]);
                p_b[2 * k] += value_1 * (sin(p[2 * k + 1] * t[i]) * seed_4);
                const double x_2 = p[2 * k + 1] * t[i];
                p_b[2 * k + 1] += t[i] * (cos(x_2) * (p[2 * k] * value_1 * seed_4));
            }
        }
        /* least_squares.c:18 */
        model_b = 0.0;
    }
    /* least_squares.c:14 */
    for (int k_1 = 0; k_1 < 8; ++k_1) {
        /* least_squares.c:15 */
        const double seed_5 = sum_b;
        const double seed_6 = 0.01 * weight[k_1 / 2] * seed_5;
        p_b[k_1] += p[k_1] * seed_6;
        p_b[k_1] += p[k_1] * seed_6;
    }
    /* least_squares.c:13 */
    sum_b = 0.0;
}

void cost_b(int n, const double *t, const double *y, const double *p, double *p_b, double limit, double cost_b) {
    adtape_t *const tape = adtape_self();
    cost_fwd(tape, n, t, y, p, limit);
    cost_rev(tape, n, (double *)t, (double *)y, (double *)p, (double *)p_b, limit, cost_b);
}
