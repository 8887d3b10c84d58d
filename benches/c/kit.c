/* The kit's calls, separately compiled as generated adjoints make them: libadtape_kit, beside calls that only load, compare,
 * store and advance. */
#include "bench.h"

#include <stdbool.h>

void pushReal8(double x);
void popReal8(double *x);
void pushreal8_(const double *x);
void popreal8_(double *x);
void pushControl1b(int cc);
void popControl1b(int *cc);
void pushControl2b(int cc);
void popControl2b(int *cc);
void pushReal8Array(const double *x, int n);
void popReal8Array(double *x, int n);

/* ---- one value ---------------------------------------------------------------------------------- */

static LOOP push_real8(double x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        pushReal8(x);
    }
}
static LOOP pop_real8(double *out, int64_t n) {
    BLOCKS(i, n) { popReal8(&out[i]); }
}
static LOOP push_real8_fortran(double x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        pushreal8_(&x);
    }
}
static LOOP pop_real8_fortran(double *out, int64_t n) {
    BLOCKS(i, n) { popreal8_(&out[i]); }
}
#define CONTROL(bits)                                               \
    static LOOP push_control##bits(int64_t n) {                     \
        for (int64_t i = 0; i < n; i++) {                           \
            pushControl##bits##b((int)(i & 1));                     \
        }                                                           \
    }                                                               \
    static LOOP pop_control##bits(int *out, int64_t n) {            \
        BLOCKS(i, n) { popControl##bits##b(&out[i]); }              \
    }
CONTROL(1)
CONTROL(2)

static void real8(const work_t *w, times_t *times) {
    TIMED(times->forward, push_real8(w->values[0], w->count));
    TIMED(times->reverse, pop_real8(w->values, w->count));
}
static void real8_floor(const work_t *w, times_t *times) {
    floor_begin(w->memory, w->count * w->bytes);
    TIMED(times->forward, plain_push_value_call(w->values[0], w->count));
    TIMED(times->reverse, plain_pop_call(w->values, w->count));
}
static void real8_fortran(const work_t *w, times_t *times) {
    TIMED(times->forward, push_real8_fortran(w->values[0], w->count));
    TIMED(times->reverse, pop_real8_fortran(w->values, w->count));
}
static void real8_fortran_floor(const work_t *w, times_t *times) {
    floor_begin(w->memory, w->count * w->bytes);
    TIMED(times->forward, plain_push_call(w->values[0], w->count));
    TIMED(times->reverse, plain_pop_call(w->values, w->count));
}
static void control1(const work_t *w, times_t *times) {
    TIMED(times->forward, push_control1(w->count));
    TIMED(times->reverse, pop_control1((int *)w->values, w->count));
}
static void control2(const work_t *w, times_t *times) {
    TIMED(times->forward, push_control2(w->count));
    TIMED(times->reverse, pop_control2((int *)w->values, w->count));
}
static void control_floor(const work_t *w, times_t *times) {
    floor_begin(w->memory, w->count * w->bytes);
    TIMED(times->forward, plain_push_i32_call(w->count));
    TIMED(times->reverse, plain_pop_i32_call((int32_t *)w->values, w->count));
}
static void bit_floor(const work_t *w, times_t *times) {
    floor_begin(w->memory, w->count * w->bytes);
    TIMED(times->forward, plain_push_bit_call(w->count));
    TIMED(times->reverse, plain_pop_bit_call((int32_t *)w->values, w->count));
}

/* ---- arrays ------------------------------------------------------------------------------------- */

static LOOP push_arrays(const work_t *w) {
    const int n = (int)(w->bytes / 8);
    for (int64_t i = 0; i < w->count; i++) {
        pushReal8Array(w->values, n);
    }
}
static LOOP pop_arrays(const work_t *w) {
    const int n = (int)(w->bytes / 8);
    for (int64_t i = 0; i < w->count; i++) {
        popReal8Array(w->values, n);
    }
}
static void arrays(const work_t *w, times_t *times) {
    static bool above;
    /* The rounds are above the part of the thread's tape that has small pages. */
    if (!above) {
        static double small_pages[(2 << 20) / 8];
        pushReal8Array(small_pages, (int)(sizeof small_pages / 8));
        above = true;
    }
    TIMED(times->forward, push_arrays(w));
    TIMED(times->reverse, pop_arrays(w));
}

const figure_t kit_figures[] = {
    {"kit/real8", real8, real8_floor},
    {"kit/real8_fortran", real8_fortran, real8_fortran_floor},
    {"kit/control1b", control1, control_floor},
    {"kit/control2b", control2, control_floor},
    {"kit/control1b_packed", control1, bit_floor},
    {"kit/array_memory", arrays, memcpys},
    {"kit/array_cache", arrays, memcpys},
    {NULL, NULL, NULL},
};
