#include "replay.h"

#include "terminal.h"

enum { FLUX_SCALARS = 11, FORCE_SCALARS = 3 };

/* How often each loop of one stage runs, in the order of the forward sweep: slopes and faces across x, across
 * y, cells. */
typedef struct counts {
    int64_t slopes[2], faces[2], cells;
} counts_t;

static counts_t count(const grid_t *g) {
    counts_t n;
    n.slopes[0] = 3 * (int64_t)(g->nx + 2) * g->ny;
    n.slopes[1] = 3 * (int64_t)g->nx * (g->ny + 2);
    n.faces[0] = (int64_t)(g->nx + 1) * g->ny;
    n.faces[1] = (int64_t)g->nx * (g->ny + 1);
    n.cells = (int64_t)g->nx * g->ny;
    return n;
}

static void push_stage(const grid_t *g, const counts_t *n, const double *x, const double *field, adtape_t *t) {
    const int64_t extents[2] = {g->nx, g->ny};
    const int64_t strides_bytes[2] = {sizeof(double), (int64_t)sizeof(double) * g->row};
    for (int d = 0; d < 2; d++) {
        for (int64_t i = 0; i < n->slopes[d]; i++) {
            adtape_push_control(t, (uint64_t)i & 3, 2);
        }
        for (int64_t i = 0; i < n->faces[d]; i++) {
            for (int v = 0; v < FLUX_SCALARS; v++) {
                adtape_push_f64(t, x[v]);
            }
            adtape_push_control(t, (uint64_t)i & 3, 2);
            adtape_push_control(t, (uint64_t)i & 1, 1);
        }
    }
    for (int64_t i = 0; i < n->cells; i++) {
        for (int v = 0; v < FORCE_SCALARS; v++) {
            adtape_push_f64(t, x[v]);
        }
        adtape_push_control(t, (uint64_t)i & 1, 1);
    }
    adtape_push_section(t, ADTAPE_TYPE_F64, field + 2 * g->row + 2, 2, extents, strides_bytes);
}

/* The scalars are popped into x, the sum of the branches is returned: a pop must go somewhere, or the compiler
 * leaves it out. */
static uint64_t pop_stage(const grid_t *g, const counts_t *n, double *x, double *field, adtape_t *t) {
    const int64_t extents[2] = {g->nx, g->ny};
    const int64_t strides_bytes[2] = {sizeof(double), (int64_t)sizeof(double) * g->row};
    uint64_t sum = 0;
    adtape_pop_section(t, ADTAPE_TYPE_F64, field + 2 * g->row + 2, 2, extents, strides_bytes);
    for (int64_t i = 0; i < n->cells; i++) {
        sum += adtape_pop_control(t, 1);
        for (int v = FORCE_SCALARS - 1; v >= 0; v--) {
            adtape_pop_f64(t, &x[v]);
        }
    }
    for (int d = 1; d >= 0; d--) {
        for (int64_t i = 0; i < n->faces[d]; i++) {
            sum += adtape_pop_control(t, 1);
            sum += adtape_pop_control(t, 2);
            for (int v = FLUX_SCALARS - 1; v >= 0; v--) {
                adtape_pop_f64(t, &x[v]);
            }
        }
        for (int64_t i = 0; i < n->slopes[d]; i++) {
            sum += adtape_pop_control(t, 2);
        }
    }
    return sum;
}

void replay(const grid_t *g, adtape_t *t, double *push_seconds, double *pop_seconds) {
    static volatile uint64_t branches;
    static double x[FLUX_SCALARS];
    const counts_t n = count(g);
    double start = clock_seconds();
    for (int stage = 0; stage < 2 * g->steps; stage++) {
        push_stage(g, &n, x, g->h0, t);
    }
    *push_seconds = clock_seconds() - start;
    start = clock_seconds();
    for (int stage = 0; stage < 2 * g->steps; stage++) {
        branches = pop_stage(g, &n, x, g->h0, t);
    }
    (void)branches;
    *pop_seconds = clock_seconds() - start;
}
