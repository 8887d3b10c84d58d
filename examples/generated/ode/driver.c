/* The gradient of the distance with respect to the rates and the start. */
#include "ode_b.h"
#include "../common.h"

enum { STEPS = 200, INPUTS = 6 };

double distance(const struct rates *rates, int steps, double h, const double start[2], const double (*seen)[2]);

static double seen[STEPS / 10][2];

/* Inputs are the rates in the order of the struct, then the start. */
static double function(int64_t n, const double *inputs, void *user) {
    const struct rates rates = {inputs[0], inputs[1], inputs[2], inputs[3]};
    (void)n, (void)user;
    return distance(&rates, STEPS, 0.05, inputs + 4, (const double(*)[2])seen);
}

static void gradient(int64_t n, const double *inputs, double *inputs_b, void *user) {
    const struct rates rates = {inputs[0], inputs[1], inputs[2], inputs[3]};
    struct rates rates_b = {0, 0, 0, 0};
    (void)n, (void)user;
    distance_b(&rates, &rates_b, STEPS, 0.05, inputs + 4, inputs_b + 4, (const double(*)[2])seen, 1.0);
    memcpy(inputs_b, &rates_b, sizeof rates_b);
}

int main(void) {
    const double inputs[INPUTS] = {1.1, 0.4, 0.4, 0.1, 10.0, 5.0};
    for (int t = 0; t < STEPS / 10; t++) {
        seen[t][0] = 4.0 + sin(t);
        seen[t][1] = 3.0 + cos(t);
    }
    return tested(function, gradient, INPUTS, inputs, STEPS, "step");
}
