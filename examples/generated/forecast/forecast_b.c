/* forecast_b.c: the adjoint of misfit, written by adtape. */
/* version: 0.1.0
 * command: adtape adjoint forecast.c --head 'misfit(misfit)/(start forcing)'
 * input: b1057b8dd4b68c00 forecast.c
 * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to date. */
/* misfit_b takes these for different memory: *start, *seen. */
/* Both sweeps must compute the same bits: no product and sum in one rounding. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif
#include "forecast.c"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
/* The reverse sweep has what these stood for. */
__extension__ _Static_assert((CELLS) == (40), "CELLS has changed: run adtape again");
#include <adtape.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "forecast_b.h"

/* Stores of elements that have no value yet are harmless: nothing reads them again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

static void change_fwd(adtape_t *tape, const double *x, double forcing, double *restrict dx);
static void change_rev(adtape_t *tape, double *x, double *restrict x_b, double *forcing_b, double *restrict dx_b);
static void misfit_fwd(adtape_t *tape, int steps, double h, const double *start, double forcing, const double (*seen)[40]);
static void misfit_rev(adtape_t *tape, int steps, double h, double *restrict start_b, double forcing, double *forcing_b, double (*seen)[40], double misfit_b);

static void change_fwd(adtape_t *tape, const double *x, double forcing, double *restrict dx) {
    (void)tape;
    for (int i = 0; i < CELLS; i++) {
        const double ahead = x[(i + 1) % CELLS], behind = x[(i + CELLS - 1) % CELLS], far = x[(i + CELLS - 2) % CELLS];
        dx[i] = (ahead - far) * behind - x[i] + forcing;
    }
}

static void change_rev(adtape_t *tape, double *x, double *restrict x_b, double *forcing_b, double *restrict dx_b) {
    (void)tape;
    /* forecast.c:8 */
    double forcing_b_1 = 0.0;
    /* forecast.c:9 */
    for (int i = 0; i < 40; ++i) {
        /* forecast.c:11 */
        const double seed = dx_b[i];
        dx_b[i] = 0.0;
        const double behind = x[(i + 40 - 1) % 40];
        double ahead_b = behind * seed;
        double far_b = -(behind * seed);
        const double ahead = x[(i + 1) % 40];
        const double far = x[(i + 40 - 2) % 40];
        double behind_b = (ahead - far) * seed;
        x_b[i] -= seed;
        forcing_b_1 += seed;
        /* forecast.c:10 */
        const double seed_1 = far_b;
        far_b = 0.0;
        x_b[(i + 40 - 2) % 40] += seed_1;
        const double seed_2 = behind_b;
        behind_b = 0.0;
        x_b[(i + 40 - 1) % 40] += seed_2;
        const double seed_3 = ahead_b;
        ahead_b = 0.0;
        x_b[(i + 1) % 40] += seed_3;
    }
    *forcing_b += forcing_b_1;
}

static void misfit_fwd(adtape_t *tape, int steps, double h, const double *start, double forcing, const double (*seen)[40]) {
    double x[CELLS], half[CELLS], dx[CELLS], sum = 0.0;
    for (int i = 0; i < CELLS; i++) {
        x[i] = start[i];
    }
    adtape_passes_t *const passes = adtape_abi0_passes_create(10, (int64_t)steps);
    for (int step = 0; step < steps; step++) {
        if (adtape_abi0_passes_enter(passes)) {
            double kept_1 = sum;
            int kept_2 = step;
            adtape_abi0_passes_move(passes, x, (int64_t)40LL * (int64_t)sizeof(double));
            adtape_abi0_passes_move(passes, &kept_1, (int64_t)sizeof kept_1);
            adtape_abi0_passes_move(passes, &kept_2, (int64_t)sizeof kept_2);
        }
        change(x, forcing, dx);
        for (int i = 0; i < CELLS; i++) {
            half[i] = x[i] + 0.5 * h * dx[i];
        }
        change(half, forcing, dx);
        for (int i = 0; i < CELLS; i++) {
            x[i] += h * dx[i];
        }
        if (step % 10 == 9) {
            for (int i = 0; i < CELLS; i++) {
                const double r = x[i] - seen[step / 10][i];
                sum += r * r;
            }
        }
    }
    adtape_abi0_passes_leave(passes);
    adtape_push_opaque(tape, passes);
}

static void misfit_rev(adtape_t *tape, int steps, double h, double *restrict start_b, double forcing, double *forcing_b, double (*seen)[40], double misfit_b) {
    /* forecast.c:17 */
    double dx[40];
    double dx_b[40];
    memset(dx_b, 0, sizeof dx_b);
    double half[40];
    double half_b[40];
    memset(half_b, 0, sizeof half_b);
    double x[40];
    double x_b[40];
    memset(x_b, 0, sizeof x_b);
    double forcing_b_1 = 0.0;
    double sum_b = misfit_b / (double)steps;
    /* forecast.c:22 */
    void *passes_raw;
    adtape_pop_opaque(tape, &passes_raw);
    adtape_passes_t *const passes = (adtape_passes_t *)passes_raw;
    for (int step = steps; step-- > 0;) {
        double sum;
        int step_1;
        while (adtape_abi0_passes_state(passes)) {
            adtape_abi0_passes_move(passes, x, (int64_t)40LL * (int64_t)sizeof(double));
            adtape_abi0_passes_move(passes, &sum, (int64_t)sizeof sum);
            adtape_abi0_passes_move(passes, &step_1, (int64_t)sizeof step_1);
        }
        const int more_1 = adtape_abi0_passes_run(passes);
        double sum_2 = sum;
        int step_3 = step_1;
        int more_3 = more_1;
        while (more_3 != 0) {
            /* forecast.c:23 */
            change(x, forcing, dx);
            /* forecast.c:24 */
            for (int i_4 = 0; i_4 < 40; ++i_4) {
                /* forecast.c:25 */
                half[i_4] = x[i_4] + 0.5 * h * dx[i_4];
            }
            /* forecast.c:27 */
            change(half, forcing, dx);
            /* forecast.c:28 */
            for (int i_6 = 0; i_6 < 40; ++i_6) {
                /* forecast.c:29 */
                x[i_6] += h * dx[i_6];
            }
            /* forecast.c:31 */
            double sum_5;
            if (step_3 % 10 == 9) {
                /* forecast.c:32 */
                double sum_3 = sum_2;
                for (int i_8 = 0; i_8 < 40; ++i_8) {
                    /* forecast.c:33 */
                    const double r_1 = x[i_8] - seen[step_3 / 10][i_8];
                    /* forecast.c:34 */
                    const double sum_4 = sum_3 + r_1 * r_1;
                    sum_3 = sum_4;
                }
                sum_5 = sum_3;
            } else {
                sum_5 = sum_2;
            }
            /* forecast.c:22 */
            const int step_4 = step_3 + 1;
            double sum_1 = sum_5;
            int step_2 = step_4;
            while (adtape_abi0_passes_state(passes)) {
                adtape_abi0_passes_move(passes, x, (int64_t)40LL * (int64_t)sizeof(double));
                adtape_abi0_passes_move(passes, &sum_1, (int64_t)sizeof sum_1);
                adtape_abi0_passes_move(passes, &step_2, (int64_t)sizeof step_2);
            }
            const int more_2 = adtape_abi0_passes_run(passes);
            sum_2 = sum_1;
            step_3 = step_2;
            more_3 = more_2;
        }
        /* forecast.c:23 */
        change_fwd(tape, x, forcing, dx);
        /* forecast.c:24 */
        for (int i_10 = 0; i_10 < 40; ++i_10) {
            /* forecast.c:25 */
            half[i_10] = x[i_10] + 0.5 * h * dx[i_10];
        }
        /* forecast.c:27 */
        change_fwd(tape, half, forcing, dx);
        /* forecast.c:28 */
        adtape_push_array_f64(tape, x, (int64_t)(0 < 40 ? 40 : 0));
        for (int i_12 = 0; i_12 < 40; ++i_12) {
            /* forecast.c:29 */
            x[i_12] += h * dx[i_12];
        }
        /* forecast.c:31 */
        if (step % 10 == 9) {
            /* forecast.c:32 */
            for (int i_14 = 0; i_14 < 40; ++i_14) {
                /* forecast.c:33 */
                const double r_2 = x[i_14] - seen[step / 10][i_14];
                adtape_push_f64(tape, r_2);
            }
        }
        if (step % 10 == 9) {
            for (int i = 40; i-- > 0;) {
                double r;
                adtape_pop_f64(tape, &r);
                /* forecast.c:34 */
                const double seed = sum_b;
                double r_b = r * seed;
                r_b += r * seed;
                /* forecast.c:33 */
                const double seed_1 = r_b;
                r_b = 0.0;
                x_b[i] += seed_1;
            }
        }
        /* forecast.c:28 */
        adtape_pop_array_f64(tape, x, (int64_t)(0 < 40 ? 40 : 0));
        for (int i_1 = 0; i_1 < 40; ++i_1) {
            /* forecast.c:29 */
            const double seed_2 = x_b[i_1];
            dx_b[i_1] += h * seed_2;
        }
        /* forecast.c:27 */
        double forcing_b_2 = 0.0;
        change_rev(tape, half, half_b, &forcing_b_2, dx_b);
        const double seed_3 = forcing_b_2;
        forcing_b_1 += seed_3;
        /* forecast.c:24 */
        for (int i_2 = 0; i_2 < 40; ++i_2) {
            /* forecast.c:25 */
            const double seed_4 = half_b[i_2];
            half_b[i_2] = 0.0;
            x_b[i_2] += seed_4;
            dx_b[i_2] += 0.5 * h * seed_4;
        }
        /* forecast.c:23 */
        double forcing_b_3 = 0.0;
        change_rev(tape, x, x_b, &forcing_b_3, dx_b);
        const double seed_5 = forcing_b_3;
        forcing_b_1 += seed_5;
    }
    adtape_abi0_passes_destroy(passes);
    /* forecast.c:18 */
    for (int i_3 = 0; i_3 < 40; ++i_3) {
        /* forecast.c:19 */
        const double seed_6 = x_b[i_3];
        x_b[i_3] = 0.0;
        start_b[i_3] += seed_6;
    }
    /* forecast.c:17 */
    sum_b = 0.0;
    *forcing_b += forcing_b_1;
}

void misfit_b(int steps, double h, const double *start, double *start_b, double forcing, double *forcing_b, const double (*seen)[40], double misfit_b) {
    adtape_t *const tape = adtape_self();
    misfit_fwd(tape, steps, h, start, forcing, seen);
    misfit_rev(tape, steps, h, (double *)start_b, forcing, (double *)forcing_b, (double (*)[40])seen, misfit_b);
}
