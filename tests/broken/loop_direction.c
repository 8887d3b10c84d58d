/* loop_direction.c: The reverse sweep takes the cells in the order of the forward sweep. */
#include "ring.h"

static void reverse_sweep(adtape_t *t, double *u, double *ub) {
    for (int i = 0; i < CELLS; i++) {
        ub[i] += 2.0 * weight[i] * u[i];
    }
    adtape_waypoint_reverse_f64("u", CELLS, u, ub);
    for (int k = STEPS - 1; k >= 0; k--) {
        for (int i = 0; i < CELLS; i++) { /* guilty */
            const int next = (i + 1) % CELLS;
            if (adtape_pop_control(t, 1)) {
                ub[i] = 0.5 * ub[i];
            }
            adtape_waypoint_reverse_f64("u", CELLS, u, ub);
            adtape_pop_f64(t, &u[i]);
            ub[next] += 0.1 * u[i] * ub[i];
            ub[i] = (1.0 + 0.1 * (u[next] - 2.0 * u[i])) * ub[i];
            adtape_waypoint_reverse_f64("u", CELLS, u, ub);
        }
    }
}
