/* swapped_pops.c: The values of two cells are popped in the order in which they were pushed. */
#include "ring.h"

static void cell_adjoint(const double *u, double *ub, int i, int flowed_over) {
    const int next = (i + 1) % CELLS;
    if (flowed_over) {
        ub[i] = 0.5 * ub[i];
    }
    ub[next] += 0.1 * u[i] * ub[i];
    ub[i] = (1.0 + 0.1 * (u[next] - 2.0 * u[i])) * ub[i];
}

static void reverse_sweep(adtape_t *t, double *u, double *ub) {
    for (int i = 0; i < CELLS; i++) {
        ub[i] += 2.0 * weight[i] * u[i];
    }
    for (int k = STEPS - 1; k >= 0; k--) {
        for (int i = CELLS - 1; i > 0; i -= 2) {
            const int over = (int)adtape_pop_control(t, 1);
            adtape_pop_f64(t, &u[i - 1]);
            const int over_before = (int)adtape_pop_control(t, 1);
            adtape_pop_f64(t, &u[i]);
            cell_adjoint(u, ub, i, over);
            cell_adjoint(u, ub, i - 1, over_before);
        }
    }
}
