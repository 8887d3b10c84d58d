/* The gradient of the energy with respect to heights and lengths. */
#include "mesh_b.h"
#include "../common.h"

enum { ACROSS = 6, UP = 5, CELLS = ACROSS * UP, EDGES = 2 * CELLS, SWEEPS = 8, INPUTS = CELLS + EDGES };

double energy(const struct mesh *mesh, int sweeps, double *height, double *flux);

/* Inputs are the heights, then the lengths. */
static void unpack(const double *inputs, double *height, double *length) {
    memcpy(height, inputs, CELLS * sizeof *height);
    memcpy(length, inputs + CELLS, EDGES * sizeof *length);
}

static double function(int64_t n, const double *inputs, void *user) {
    double height[CELLS], length[EDGES], flux[EDGES] = {0};
    const struct mesh mesh = {ACROSS, UP, length};
    (void)n, (void)user;
    unpack(inputs, height, length);
    return energy(&mesh, SWEEPS, height, flux);
}

static void gradient(int64_t n, const double *inputs, double *inputs_b, void *user) {
    double height[CELLS], length[EDGES], flux[EDGES] = {0}, flux_b[EDGES] = {0};
    const struct mesh mesh = {ACROSS, UP, length};
    struct mesh mesh_b = {0, 0, inputs_b + CELLS};
    (void)n, (void)user;
    unpack(inputs, height, length);
    energy_b(&mesh, &mesh_b, SWEEPS, height, inputs_b, flux, flux_b, 1.0);
}

int main(void) {
    double inputs[INPUTS];
    for (int k = 0; k < CELLS; k++) inputs[k] = 1.0 + 0.5 * sin(k);
    for (int k = 0; k < EDGES; k++) inputs[CELLS + k] = 1.0 + 0.2 * cos(k);
    return tested(function, gradient, INPUTS, inputs, CELLS * SWEEPS, "cell and sweep");
}
