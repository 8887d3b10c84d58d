/* swapped_pops.c: Two values of one type are popped in the order in which they were pushed.
 *
 * Prey and predators, in steps; the cost is the prey that is left. Push and pop match by type. */
#include <stdio.h>
#include <string.h>

#include "adtape.h"

enum { PREY, PREDATORS, SPECIES };
enum { STEPS = 20 };

static const double dt = 0.1;

static double forward_sweep(adtape_t *t, double *y) {
    for (int k = 0; k < STEPS; k++) {
        adtape_waypoint_forward_f64("y", SPECIES, y);
        adtape_push_f64(t, y[PREY]);
        adtape_push_f64(t, y[PREDATORS]);
        const double eaten = y[PREY] * y[PREDATORS];
        y[PREY] += dt * (y[PREY] - eaten);
        y[PREDATORS] += dt * (0.5 * eaten - y[PREDATORS]);
    }
    adtape_waypoint_forward_f64("y", SPECIES, y);
    return y[PREY] * y[PREY];
}

static void reverse_sweep(adtape_t *t, double *y, double *y_b) {
    y_b[PREY] = 2.0 * y[PREY];
    adtape_waypoint_reverse_f64("y", SPECIES, y, y_b);
    for (int k = STEPS - 1; k >= 0; k--) {
        adtape_pop_f64(t, &y[PREY]); /* guilty */
        adtape_pop_f64(t, &y[PREDATORS]);
        const double eaten_b = dt * (0.5 * y_b[PREDATORS] - y_b[PREY]);
        y_b[PREY] = (1.0 + dt) * y_b[PREY] + y[PREDATORS] * eaten_b;
        y_b[PREDATORS] = (1.0 - dt) * y_b[PREDATORS] + y[PREY] * eaten_b;
        adtape_waypoint_reverse_f64("y", SPECIES, y, y_b);
    }
}

static double cost(int64_t n, const double *x, void *user) {
    double y[SPECIES];
    (void)user;
    memcpy(y, x, (size_t)n * sizeof *y);
    return forward_sweep(adtape_self(), y);
}

static void gradient(int64_t n, const double *x, double *g, void *user) {
    double y[SPECIES];
    (void)user;
    memcpy(y, x, (size_t)n * sizeof *y);
    forward_sweep(adtape_self(), y);
    reverse_sweep(adtape_self(), y, g);
}

int main(void) {
    const double x[SPECIES] = {1.4, 0.6};
    adtape_test_report_t report;
    if (adtape_test_gradient_f64(cost, gradient, NULL, SPECIES, x, NULL, NULL, &report) != ADTAPE_STATUS_OK) {
        fprintf(stderr, "%s\n", adtape_error_message());
        return 2;
    }
    fputs(adtape_test_text(), stderr);
    return report.passed ? 0 : 1;
}
