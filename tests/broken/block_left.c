/* block_left.c: a model allocates its workspace before the time loop, and the reverse sweep ends with that loop. */
#include <adtape.h>
#include <stdint.h>

enum { CELLS = 12, STEPS = 4 };

static adtape_heap_t *heap;
static double state[CELLS], adjoint[CELLS];

static double *workspace(adtape_t *t) {
    return adtape_heap_alloc(heap, t, CELLS * sizeof(double)); /* left */
}

static void step(adtape_t *t, double *flux) {
    adtape_push_array_f64(t, state, CELLS);
    for (int i = 0; i < CELLS; i++) {
        flux[i] = state[i] * state[(i + 1) % CELLS];
    }
    for (int i = 0; i < CELLS; i++) {
        state[i] -= 0.1 * flux[i];
    }
}

static void step_b(adtape_t *t, const double *flux) {
    const double *flux_b;
    double next[CELLS];
    (void)adtape_heap_find_adjoint(heap, (void *)(uintptr_t)flux, (void **)&flux_b);
    adtape_pop_array_f64(t, state, CELLS);
    for (int i = 0; i < CELLS; i++) {
        const int before = (i + CELLS - 1) % CELLS, after = (i + 1) % CELLS;
        next[i] = adjoint[i] - 0.1 * (adjoint[i] * state[after] + adjoint[before] * state[before]) + flux_b[i];
    }
    for (int i = 0; i < CELLS; i++) {
        adjoint[i] = next[i];
    }
}

int main(void) {
    adtape_t *t = adtape_self();
    double *flux;
    if (adtape_heap_create(1, 0, &heap) != ADTAPE_STATUS_OK) {
        return 1;
    }
    for (int i = 0; i < CELLS; i++) {
        state[i] = 1.0 + 0.1 * i, adjoint[i] = 1.0;
    }
    flux = workspace(t);
    for (int k = 0; k < STEPS; k++) {
        step(t, flux);
    }
    (void)adtape_heap_begin_reverse(heap);
    for (int k = STEPS - 1; k >= 0; k--) {
        step_b(t, flux);
    }
    return 0; /* adtape_heap_undo_alloc(heap, t) is missing */
}
