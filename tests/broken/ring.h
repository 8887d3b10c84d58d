/* ring.h: what the programs with a wrong reverse sweep share.
 *
 * Water moves along a ring of cells, from each to the next, in place; what stands above 1 flows over. The cost is a
 * weighted sum of squares. Each program has a reverse sweep with one mistake; push and pop match. Both sweeps pass
 * waypoints: before a cell moves, before it flows over, and at the end. */
#include <stdio.h>
#include <string.h>

#include "adtape.h"

/* The type of the adjoints, and how long they live. */
#ifndef ADJOINTS
#define ADJOINTS double
#endif

enum { CELLS = 6, STEPS = 5 };

static const double weight[CELLS] = {1.0, 2.0, 0.5, 3.0, 1.5, 0.7};

static double forward_sweep(adtape_t *t, double *u) {
    double J = 0.0;
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < CELLS; i++) {
            const int next = (i + 1) % CELLS;
            adtape_waypoint_forward_f64("u", CELLS, u);
            adtape_push_f64(t, u[i]);
            u[i] = u[i] + 0.1 * u[i] * (u[next] - u[i]);
            adtape_waypoint_forward_f64("u", CELLS, u);
            if (u[i] > 1.0) {
                adtape_push_control(t, 1, 1);
                u[i] = 1.0 + 0.5 * (u[i] - 1.0);
            } else {
                adtape_push_control(t, 0, 1);
            }
        }
    }
    adtape_waypoint_forward_f64("u", CELLS, u);
    for (int i = 0; i < CELLS; i++) {
        J += weight[i] * u[i] * u[i];
    }
    return J;
}

static void reverse_sweep(adtape_t *t, double *u, double *ub);

static double cost(int64_t n, const double *x, void *user) {
    double u[CELLS];
    (void)user;
    memcpy(u, x, (size_t)n * sizeof *u);
    return forward_sweep(adtape_self(), u);
}

static void gradient(int64_t n, const double *x, double *g, void *user) {
    ADJOINTS ub[CELLS] = {0.0};
    double u[CELLS];
    (void)user;
    memcpy(u, x, (size_t)n * sizeof *u);
    forward_sweep(adtape_self(), u);
    reverse_sweep(adtape_self(), u, ub);
    memcpy(g, ub, (size_t)n * sizeof *g);
}

int main(void) {
    const double x[CELLS] = {0.9, 1.3, 0.4, 1.1, 0.6, 0.8};
    adtape_test_report_t report;
    if (adtape_test_gradient_f64(cost, gradient, NULL, CELLS, x, NULL, NULL, &report) != ADTAPE_STATUS_OK) {
        fprintf(stderr, "%s\n", adtape_error_message());
        return 2;
    }
    fputs(adtape_test_text(), stderr);
    return report.passed ? 0 : 1;
}
