/* heat_b.c: the adjoint of heat, written by adtape. */
/* version: 0.1.0
 * command: adtape adjoint heat.c --head 'heat(heat)/(u k)'
 * input: a56a785564199df1 heat.c
 * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to date. */
/* heat_b takes these for different memory: *k, *data, *u, *next. */
/* Both sweeps must compute the same bits: no product and sum in one rounding. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#include "heat.c"
#include <adtape.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "heat_b.h"

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

static APART void step_fwd(adtape_t *tape, int n, int m, double dt, const double *k, double *u, double *next);
static APART void step_rev(adtape_t *tape, int n, int m, double dt, double *k, double *restrict k_b, double *restrict u_b, double *restrict next_b);
static void heat_fwd(adtape_t *tape, int n, int m, int steps, double dt, const double *k, const double *data, double *u, double *next);
static void heat_rev(adtape_t *tape, int n, int m, int steps, double dt, double *k, double *restrict k_b, double *data, double *u, double *restrict u_b, double *restrict next_b, double heat_b);

static void step_fwd(adtape_t *tape, int n, int m, double dt, const double *k, double *u, double *next) {
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) {
            const double here = u[i * m + j];
            const double conductivity = k[i * m + j] * (1.0 + 0.5 * here * here);
            const double flow =
                u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1] - 4.0 * here;
            next[i * m + j] = here + dt * conductivity * flow;
            adtape_push_record_f64(tape, (const double[]){here, flow}, 2);
        }
    }
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) u[i * m + j] = next[i * m + j];
    }
}

static void step_rev(adtape_t *tape, int n, int m, double dt, double *k, double *restrict k_b, double *restrict u_b, double *restrict next_b) {
    /* heat.c:13 */
    for (int i = n - 1; i-- > 1;) {
        /* heat.c:14 */
        for (int j = 1; j < m - 1; ++j) {
            const double seed = u_b[i * m + j];
            u_b[i * m + j] = 0.0;
            next_b[i * m + j] += seed;
        }
    }
    /* heat.c:4 */
    for (int i_1 = n - 1; i_1-- > 1;) {
        /* heat.c:5 */
        for (int j_1 = m - 1; j_1-- > 1;) {
            double record[2];
            adtape_pop_record_f64(tape, record, 2);
            const double flow = record[1];
            const double here = record[0];
            /* heat.c:10 */
            const double seed_1 = next_b[i_1 * m + j_1];
            next_b[i_1 * m + j_1] = 0.0;
            double here_b = seed_1;
            double conductivity_b = dt * (flow * seed_1);
            const double conductivity = k[i_1 * m + j_1] * (1.0 + 0.5 * here * here);
            double flow_b = dt * conductivity * seed_1;
            /* heat.c:8 */
            const double seed_2 = flow_b;
            flow_b = 0.0;
            u_b[(i_1 - 1) * m + j_1] += seed_2;
            u_b[(i_1 + 1) * m + j_1] += seed_2;
            u_b[i_1 * m + j_1 - 1] += seed_2;
            u_b[i_1 * m + j_1 + 1] += seed_2;
            here_b += 4.0 * -seed_2;
            /* heat.c:7 */
            const double seed_3 = conductivity_b;
            conductivity_b = 0.0;
            k_b[i_1 * m + j_1] += (1.0 + 0.5 * here * here) * seed_3;
            const double seed_4 = k[i_1 * m + j_1] * seed_3;
            here_b += 0.5 * (here * seed_4);
            here_b += 0.5 * here * seed_4;
            /* heat.c:6 */
            const double seed_5 = here_b;
            here_b = 0.0;
            u_b[i_1 * m + j_1] += seed_5;
        }
    }
}

static void heat_fwd(adtape_t *tape, int n, int m, int steps, double dt, const double *k, const double *data, double *u, double *next) {
    (void)data;
    for (int t = 0; t < steps; t++) {
        step_fwd(tape, n, m, dt, k, u, next);
    }
}

static void heat_rev(adtape_t *tape, int n, int m, int steps, double dt, double *k, double *restrict k_b, double *data, double *u, double *restrict u_b, double *restrict next_b, double heat_b) {
    /* heat.c:18 */
    double sum_b = 0.5 * heat_b;
    /* heat.c:21 */
    for (int i = 0; i < n * m; ++i) {
        /* heat.c:22 */
        const double r = u[i] - data[i];
        /* heat.c:23 */
        const double seed = sum_b;
        double r_b = r * seed;
        r_b += r * seed;
        /* heat.c:22 */
        const double seed_1 = r_b;
        r_b = 0.0;
        u_b[i] += seed_1;
    }
    /* heat.c:20 */
    for (int t = steps; t-- > 0;) {
        step_rev(tape, n, m, dt, k, k_b, u_b, next_b);
    }
    /* heat.c:19 */
    sum_b = 0.0;
}

void heat_b(int n, int m, int steps, double dt, const double *k, double *k_b, const double *data, double *u, double *u_b, double *next, double *next_b, double heat_b) {
    adtape_t *const tape = adtape_self();
    heat_fwd(tape, n, m, steps, dt, k, data, u, next);
    heat_rev(tape, n, m, steps, dt, (double *)k, (double *)k_b, (double *)data, (double *)u, (double *)u_b, (double *)next_b, heat_b);
}
