/* The gradient of the misfit with respect to the start and the forcing. */
#include "forecast_b.h"
#include "../common.h"

enum { CELLS = 40, STEPS = 1000, INPUTS = CELLS + 1 };

double misfit(int steps, double h, const double start[CELLS], double forcing, const double (*seen)[CELLS]);

static double seen[STEPS / 10][CELLS];

/* Inputs are the start, then the forcing. */
static double function(int64_t n, const double *inputs, void *user) {
    (void)n, (void)user;
    return misfit(STEPS, 0.002, inputs, inputs[CELLS], (const double(*)[CELLS])seen);
}

static void gradient(int64_t n, const double *inputs, double *inputs_b, void *user) {
    (void)n, (void)user;
    misfit_b(STEPS, 0.002, inputs, inputs_b, inputs[CELLS], &inputs_b[CELLS], (const double(*)[CELLS])seen, 1.0);
}

int main(void) {
    double inputs[INPUTS];
    for (int i = 0; i < CELLS; i++) {
        inputs[i] = 4.0 + 3.0 * sin(0.7 * i);
    }
    inputs[CELLS] = 8.0;
    for (int t = 0; t < STEPS / 10; t++) {
        for (int i = 0; i < CELLS; i++) {
            seen[t][i] = 4.0 + 3.0 * sin(0.7 * i - 0.02 * t);
        }
    }
    return tested(function, gradient, INPUTS, inputs, STEPS, "step");
}
