/* The kit inlined into a Fortran subroutine by -flto (lto_loops.f90), beside the same loop in C over a cursor that lives
 * in memory. */
#include "bench.h"

void push_loop_(const double *x, const int64_t *n);
void pop_loop_(double *x, const int64_t *n);

static void fortran(const work_t *w, times_t *times) {
    TIMED(times->forward, push_loop_(w->values, &w->count));
    TIMED(times->reverse, pop_loop_(w->values, &w->count));
}
static void bounded(const work_t *w, times_t *times) {
    plain_cursor_t cursor = {w->memory, w->memory + w->count * w->bytes, w->memory};
    TIMED(times->forward, plain_push_bounded(&cursor, w->values, w->count));
    TIMED(times->reverse, plain_pop_bounded(&cursor, w->values, w->count));
}

const figure_t lto_figures[] = {
    {"lto/real8", fortran, bounded},
    {NULL, NULL, NULL},
};
