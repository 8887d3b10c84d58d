/* burgers_b.c: the adjoint of burgers, written by adtape. */
/* version: 0.1.0
 * command: adtape adjoint burgers.c --head 'burgers(burgers)/(u)'
 * input: 2e451cd73fd07d5e burgers.c
 * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to date. */
/* burgers_b takes these for different memory: *u, *next. */

#include "burgers.c"
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
#include "burgers_b.h"

/* Stores of elements that have no value yet are harmless: nothing reads them again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Inner loops keep their pointers in registers in functions of their own. */
#if defined(__GNUC__) && !defined(__clang__)
#define APART __attribute__((noinline))
#else
#define APART
#endif

static APART void step_fwd(adtape_t *tape, int n, double dt, double *u, double *next);
static APART void step_rev(adtape_t *tape, int n, double dt, double *u, double *restrict u_b, double *restrict next_b);
static void burgers_fwd(adtape_t *tape, int n, int steps, double dt, double *u, double *next);
static void burgers_rev(adtape_t *tape, int n, int steps, double dt, double *u, double *restrict u_b, double *restrict next_b, double burgers_b);

static void step_fwd(adtape_t *tape, int n, double dt, double *u, double *next) {
    for (int i = 1; i < n - 1; i++) {
        double flux;
        if (u[i] > 0.0)
            flux = u[i] * (u[i] - u[i - 1]);
        else
            flux = u[i] * (u[i + 1] - u[i]);
        next[i] = u[i] - dt * flux + 0.1 * dt * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
    }
    adtape_push_array_f64(tape, &u[1], (int64_t)(1 < n - 1 ? n - 2 : 0));
    for (int i = 1; i < n - 1; i++) {
        u[i] = next[i];
    }
}

static void step_rev(adtape_t *tape, int n, double dt, double *u, double *restrict u_b, double *restrict next_b) {
    /* burgers.c:11 */
    adtape_pop_array_f64(tape, &u[1], (int64_t)(1 < n - 1 ? n - 2 : 0));
    for (int i = 1; i < n - 1; ++i) {
        const double seed = u_b[i];
        u_b[i] = 0.0;
        next_b[i] += seed;
    }
    /* burgers.c:3 */
    for (int i_1 = 1; i_1 < n - 1; ++i_1) {
        /* burgers.c:9 */
        const double seed_1 = next_b[i_1];
        next_b[i_1] = 0.0;
        u_b[i_1] += seed_1;
        double flux_b = dt * -seed_1;
        const double seed_2 = 0.1 * dt * seed_1;
        u_b[i_1 + 1] += seed_2;
        u_b[i_1] += 2.0 * -seed_2;
        u_b[i_1 - 1] += seed_2;
        /* burgers.c:8 */
        if (u[i_1] > 0.0) {
            /* burgers.c:6 */
            const double seed_3 = flux_b;
            flux_b = 0.0;
            u_b[i_1] += (u[i_1] - u[i_1 - 1]) * seed_3;
            const double seed_4 = u[i_1] * seed_3;
            u_b[i_1] += seed_4;
            u_b[i_1 - 1] -= seed_4;
        } else {
            /* burgers.c:8 */
            const double seed_5 = flux_b;
            flux_b = 0.0;
            u_b[i_1] += (u[i_1 + 1] - u[i_1]) * seed_5;
            const double seed_6 = u[i_1] * seed_5;
            u_b[i_1 + 1] += seed_6;
            u_b[i_1] -= seed_6;
        }
    }
}

static void burgers_fwd(adtape_t *tape, int n, int steps, double dt, double *u, double *next) {
    for (int t = 0; t < steps; t++) {
        step_fwd(tape, n, dt, u, next);
    }
}

static void burgers_rev(adtape_t *tape, int n, int steps, double dt, double *u, double *restrict u_b, double *restrict next_b, double burgers_b) {
    /* burgers.c:14 */
    double sum_b = 0.5 * burgers_b;
    /* burgers.c:17 */
    for (int i = 0; i < n; ++i) {
        const double seed = sum_b;
        u_b[i] += u[i] * seed;
        u_b[i] += u[i] * seed;
    }
    /* burgers.c:16 */
    for (int t = steps; t-- > 0;) {
        step_rev(tape, n, dt, u, u_b, next_b);
    }
    /* burgers.c:15 */
    sum_b = 0.0;
}

void burgers_b(int n, int steps, double dt, double *u, double *u_b, double *next, double *next_b, double burgers_b) {
    adtape_t *const tape = adtape_self();
    burgers_fwd(tape, n, steps, dt, u, next);
    burgers_rev(tape, n, steps, dt, (double *)u, (double *)u_b, (double *)next_b, burgers_b);
}
