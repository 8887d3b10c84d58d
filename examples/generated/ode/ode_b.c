/* ode_b.c: the adjoint of distance, written by adtape. */
/* version: 0.1.0
 * command: adtape adjoint ode.c --head 'distance(distance)/(rates start)'
 * input: c4a013eea6998319 ode.c
 * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to date. */
/* distance_b takes these for different memory: *rates, *start, *seen. */

#include "ode.c"
/* Both sweeps must compute the same bits: no product and sum in one rounding. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
#define ADTAPE_OWN_TYPES
#include <adtape.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ode_b.h"

/* Stores of elements that have no value yet are harmless: nothing reads them again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

static void slope_fwd(adtape_t *tape, const struct rates *r, const double y[2], double dy[2]);
static void slope_rev(adtape_t *tape, struct rates *r, struct rates *restrict r_b, double *y, double *restrict y_b, double *restrict dy_b);
static void distance_fwd(adtape_t *tape, const struct rates *rates, int steps, double h, const double start[2], const double (*seen)[2]);
static void distance_rev(adtape_t *tape, struct rates *rates, struct rates *restrict rates_b, double h, double *restrict start_b, double (*seen)[2], double distance_b);

static void slope_fwd(adtape_t *tape, const struct rates *r, const double y[2], double dy[2]) {
    (void)tape;
    dy[0] = r->birth * y[0] - r->hunt * y[0] * y[1];
    dy[1] = r->gain * y[0] * y[1] - r->death * y[1];
}

static void slope_rev(adtape_t *tape, struct rates *r, struct rates *restrict r_b, double *y, double *restrict y_b, double *restrict dy_b) {
    (void)tape;
    /* ode.c:12 */
    const double seed = dy_b[1];
    dy_b[1] = 0.0;
    const double seed_1 = y[1] * seed;
    r_b->gain += y[0] * seed_1;
    y_b[0] += r->gain * seed_1;
    y_b[1] += r->gain * y[0] * seed;
    r_b->death += y[1] * -seed;
    y_b[1] += r->death * -seed;
    /* ode.c:11 */
    const double seed_2 = dy_b[0];
    dy_b[0] = 0.0;
    r_b->birth += y[0] * seed_2;
    y_b[0] += r->birth * seed_2;
    const double seed_3 = y[1] * -seed_2;
    r_b->hunt += y[0] * seed_3;
    y_b[0] += r->hunt * seed_3;
    y_b[1] += r->hunt * y[0] * -seed_2;
}

static void distance_fwd(adtape_t *tape, const struct rates *rates, int steps, double h, const double start[2], const double (*seen)[2]) {
    (void)seen;
    double y[2];
    y[0] = start[0];
    y[1] = start[1];
    double k[4][2];
    double z[2];
    uint64_t passes = 0;
    int step = 0;
    int left = 0;
    while (!left && step < steps) {
        for (int stage = 0; stage < 4; stage++) {
            const double ahead = stage == 0 ? 0.0 : (stage == 3 ? h : 0.5 * h);
            adtape_push_array_f64(tape, z, (int64_t)(0 < 2 ? 2 : 0));
            for (int c = 0; c < 2; c++) {
                z[c] = stage == 0 ? y[c] : y[c] + ahead * k[stage - 1][c];
            }
            slope_fwd(tape, rates, z, &k[stage][0]);
            adtape_push_f64(tape, ahead);
        }
        adtape_push_array_f64(tape, y, (int64_t)(0 < 2 ? 2 : 0));
        for (int c = 0; c < 2; c++) {
            y[c] += h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
        }
        if (y[0] < 1e-9 || y[1] < 1e-9) {
            left = 1;
        } else {
            step++;
        }
        passes++;
    }
    adtape_push_count(tape, (int64_t)passes);
    adtape_push_array_f64(tape, y, 2);
    adtape_push_array_f64(tape, z, 2);
}

static void distance_rev(adtape_t *tape, struct rates *rates, struct rates *restrict rates_b, double h, double *restrict start_b, double (*seen)[2], double distance_b) {
    /* ode.c:17 */
    double z[2];
    double z_b[2];
    memset(z_b, 0, sizeof z_b);
    adtape_pop_array_f64(tape, z, 2);
    double k_b[4][2];
    memset(k_b, 0, sizeof k_b);
    double y[2];
    double y_b[2];
    memset(y_b, 0, sizeof y_b);
    adtape_pop_array_f64(tape, y, 2);
    double sum_b = distance_b;
    /* ode.c:18 */
    const uint64_t passes = (uint64_t)adtape_pop_count(tape);
    for (uint64_t pass = passes; pass-- != 0;) {
        const int step = (int)pass;
        /* ode.c:34 */
        if (y[0] < 1e-9 || y[1] < 1e-9) {
        } else if (step % 10 == 9) {
            const double seed = sum_b;
            double *const at = &seen[step / 10][0];
            y_b[0] += (y[0] - at[0]) * seed;
            y_b[0] += (y[0] - at[0]) * seed;
            y_b[1] += (y[1] - at[1]) * seed;
            y_b[1] += (y[1] - at[1]) * seed;
        }
        /* ode.c:26 */
        adtape_pop_array_f64(tape, y, (int64_t)(0 < 2 ? 2 : 0));
        for (int c = 0; c < 2; ++c) {
            /* ode.c:27 */
            const double seed_1 = y_b[c];
            const double seed_2 = h / 6.0 * seed_1;
            k_b[0][c] += seed_2;
            k_b[1][c] += 2.0 * seed_2;
            k_b[2][c] += 2.0 * seed_2;
            k_b[3][c] += seed_2;
        }
        /* ode.c:19 */
        for (int stage = 4; stage-- > 0;) {
            double ahead;
            adtape_pop_f64(tape, &ahead);
            /* ode.c:24 */
            slope_rev(tape, rates, rates_b, z, z_b, &k_b[stage][0]);
            /* ode.c:21 */
            adtape_pop_array_f64(tape, z, (int64_t)(0 < 2 ? 2 : 0));
            for (int c_1 = 0; c_1 < 2; ++c_1) {
                /* ode.c:22 */
                const double seed_3 = z_b[c_1];
                z_b[c_1] = 0.0;
                double choice_b = seed_3;
                if (stage == 0) {
                    const double seed_4 = choice_b;
                    choice_b = 0.0;
                    y_b[c_1] += seed_4;
                } else {
                    const double seed_5 = choice_b;
                    choice_b = 0.0;
                    y_b[c_1] += seed_5;
                    k_b[stage - 1][c_1] += ahead * seed_5;
                }
            }
        }
    }
    /* ode.c:17 */
    sum_b = 0.0;
    const double seed_6 = y_b[1];
    y_b[1] = 0.0;
    start_b[1] += seed_6;
    const double seed_7 = y_b[0];
    y_b[0] = 0.0;
    start_b[0] += seed_7;
}

void distance_b(const struct rates *rates, struct rates *rates_b, int steps, double h, const double start[2], double start_b[2], const double (*seen)[2], double distance_b) {
    adtape_t *const tape = adtape_self();
    distance_fwd(tape, rates, steps, h, start, seen);
    distance_rev(tape, (struct rates *)rates, (struct rates *)rates_b, h, (double *)start_b, (double (*)[2])seen, distance_b);
}
