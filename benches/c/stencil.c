/* Adjoints that do little besides push and pop, by the tape's handle and, as the reference, with a local cursor: what
 * generated code could gain by attaching one.
 *
 * `count` cells; each sweep is one over all of them. */
#include "bench.h"

enum { MOST_CELLS = 8192 };

/* The state, its adjoint, the field that drives it and its adjoint, with a cell more at each end. */
static double x[MOST_CELLS + 2], xb[MOST_CELLS + 2], y[MOST_CELLS + 2], yb[MOST_CELLS + 2];

/* Both sides begin with the same numbers, which neither grow nor fade. */
static void begin(int64_t cells) {
    if (cells > MOST_CELLS) {
        fprintf(stderr, "bench: more than %d cells\n", MOST_CELLS);
        exit(2);
    }
    for (int64_t i = 0; i < cells + 2; i++) {
        x[i] = 0.02 * (double)(i % 50), y[i] = 0.14 * (double)(i % 7);
        xb[i] = 1.0, yb[i] = 0.0;
    }
}

#define H 1e-3

/* ---- a nonlinear stencil in place: a double a cell ---------------------------------------------- */

#define STENCIL_FORWARD(push_f64)                                                                 \
    for (int64_t i = 1; i <= cells; i++) {                                                        \
        push_f64(t, x[i]);                                                                        \
        x[i] = x[i] + H * (x[i - 1] - 2.0 * x[i] + y[i + 1]) * x[i];                              \
    }
#define STENCIL_REVERSE(pop_f64)                                                                  \
    for (int64_t i = cells; i >= 1; i--) {                                                        \
        const double seed = xb[i];                                                                \
        pop_f64(t, &x[i]);                                                                        \
        xb[i] = seed + H * seed * (x[i - 1] - 4.0 * x[i] + y[i + 1]);                             \
        xb[i - 1] += H * seed * x[i];                                                             \
        yb[i + 1] += H * seed * x[i];                                                             \
    }

/* ---- an increment that is limited: an index, two doubles and a decision a cell ------------------- */

#define LIMITED_FORWARD(push_i32, push_f64, push_control)                                         \
    double step = 0.0;                                                                            \
    int32_t k = 0;                                                                                \
    for (int32_t i = 1; i <= (int32_t)cells; i++) {                                               \
        push_i32(t, k);                                                                           \
        k = i;                                                                                    \
        push_f64(t, step);                                                                        \
        step = H * (y[k] - x[k]);                                                                 \
        push_f64(t, x[k]);                                                                        \
        if (step > 0.5) {                                                                         \
            x[k] = x[k] + 0.5;                                                                    \
            push_control(t, 0, 1);                                                                \
        } else {                                                                                  \
            x[k] = x[k] + step;                                                                   \
            push_control(t, 1, 1);                                                                \
        }                                                                                         \
    }                                                                                             \
    last = k
#define LIMITED_REVERSE(pop_i32, pop_f64, pop_control)                                            \
    double step, stepb = 0.0;                                                                     \
    int32_t k = last;                                                                             \
    for (int64_t i = cells; i >= 1; i--) {                                                        \
        const uint64_t whole = pop_control(t, 1);                                                 \
        pop_f64(t, &x[k]);                                                                        \
        stepb += whole ? xb[k] : 0.0;                                                             \
        pop_f64(t, &step);                                                                        \
        yb[k] += H * stepb;                                                                       \
        xb[k] -= H * stepb;                                                                       \
        stepb = 0.0;                                                                              \
        pop_i32(t, &k);                                                                           \
    }

static int32_t last;

/* ---- both sides of both -------------------------------------------------------------------------- */

/* A sweep by handle, and with a local cursor in the place of `t`. */
#define SWEEPS(name, by_handle, by_cursor)                                  \
    static LOOP name##_handle(adtape_t *t, int64_t cells) { by_handle; }    \
    static LOOP name##_local(adtape_t *tape, int64_t cells) {               \
        adtape_local_t cursor, *const t = &cursor;                          \
        expect_ok(adtape_attach(tape, &cursor));                            \
        by_cursor;                                                          \
        expect_ok(adtape_detach(&cursor));                                  \
    }
SWEEPS(stencil_forward, STENCIL_FORWARD(adtape_push_f64), STENCIL_FORWARD(adtape_local_push_f64))
SWEEPS(stencil_reverse, STENCIL_REVERSE(adtape_pop_f64), STENCIL_REVERSE(adtape_local_pop_f64))
SWEEPS(limited_forward, LIMITED_FORWARD(adtape_push_i32, adtape_push_f64, adtape_push_control),
       LIMITED_FORWARD(adtape_local_push_i32, adtape_local_push_f64, adtape_local_push_control))
SWEEPS(limited_reverse, LIMITED_REVERSE(adtape_pop_i32, adtape_pop_f64, adtape_pop_control),
       LIMITED_REVERSE(adtape_local_pop_i32, adtape_local_pop_f64, adtape_local_pop_control))

#define SIDE(model, how)                                                    \
    static void model##_##how(const work_t *w, times_t *times) {            \
        begin(w->count);                                                    \
        TIMED(times->forward, model##_forward_##how(w->tape, w->count));    \
        TIMED(times->reverse, model##_reverse_##how(w->tape, w->count));    \
    }
SIDE(stencil, handle)
SIDE(stencil, local)
SIDE(limited, handle)
SIDE(limited, local)

const figure_t stencil_figures[] = {
    {"stencil/handle", stencil_handle, stencil_local},
    {"stencil/limited", limited_handle, limited_local},
    {NULL, NULL, NULL},
};
