/* The kit and the Fortran module inlined into a Fortran subroutine by -flto (lto_loops.f90): the kit beside the same loop
 * in C over a cursor that lives in memory, the module beside the loop in C with the header. */
#include "bench.h"

void push_loop_(const double *x, const int64_t *n);
void pop_loop_(double *x, const int64_t *n);
void module_push_loop_(const double *x, const int64_t *n);
void module_pop_loop_(double *x, const int64_t *n);

static void fortran(const work_t *w, times_t *times) {
    TIMED(times->forward, push_loop_(w->values, &w->count));
    TIMED(times->reverse, pop_loop_(w->values, &w->count));
}
static void bounded(const work_t *w, times_t *times) {
    plain_cursor_t cursor = {w->memory, w->memory + w->count * w->bytes, w->memory};
    TIMED(times->forward, plain_push_bounded(&cursor, w->values, w->count));
    TIMED(times->reverse, plain_pop_bounded(&cursor, w->values, w->count));
}

static void module(const work_t *w, times_t *times) {
    TIMED(times->forward, module_push_loop_(w->values, &w->count));
    TIMED(times->reverse, module_pop_loop_(w->values, &w->count));
}
static LOOP header_push(const double *x, int64_t n) {
    adtape_t *const t = adtape_self();
    BLOCKS(i, n) { adtape_push_f64(t, x[i]); }
}
static LOOP header_pop(double *x, int64_t n) {
    adtape_t *const t = adtape_self();
    BLOCKS(i, n) { adtape_pop_f64(t, &x[i]); }
}
static void header(const work_t *w, times_t *times) {
    TIMED(times->forward, header_push(w->values, w->count));
    TIMED(times->reverse, header_pop(w->values, w->count));
}

const figure_t lto_figures[] = {
    {"lto/real8", fortran, bounded},
    {"lto/module", module, header},
    {NULL, NULL, NULL},
};
