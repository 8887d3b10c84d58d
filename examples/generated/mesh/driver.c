/* The gradient of the energy with respect to heights and lengths. */
#include "mesh_b.h"
#include "../common.h"

enum { ACROSS = 6, UP = 5, CELLS = ACROSS * UP, SWEEPS = 8 };

double energy(const struct mesh *mesh, int sweeps, double *height, double *flux);

static void begin(double *height, double *length) {
    for (int k = 0; k < CELLS; k++) height[k] = 1.0 + 0.5 * sin(k);
    for (int k = 0; k < 2 * CELLS; k++) length[k] = 1.0 + 0.2 * cos(k);
}

static double at(int cell, double dheight, int edge, double dlength) {
    double height[CELLS], length[2 * CELLS], flux[2 * CELLS];
    struct mesh mesh = {ACROSS, UP, length};
    begin(height, length);
    height[cell] += dheight;
    length[edge] += dlength;
    return energy(&mesh, SWEEPS, height, flux);
}

int main(void) {
    double height[CELLS], length[2 * CELLS], flux[2 * CELLS] = {0};
    double height_b[CELLS] = {0}, length_b[2 * CELLS] = {0}, flux_b[2 * CELLS] = {0};
    struct mesh mesh = {ACROSS, UP, length};
    struct mesh mesh_b = {0, 0, length_b};
    begin(height, length);
    energy_b(&mesh, &mesh_b, SWEEPS, height, height_b, flux, flux_b, 1.0);
    compare("height[7]", height_b[7], (at(7, 1e-5, 0, 0) - at(7, -1e-5, 0, 0)) / 2e-5);
    compare("height[29]", height_b[29], (at(29, 1e-5, 0, 0) - at(29, -1e-5, 0, 0)) / 2e-5);
    compare("length[21]", length_b[21], (at(0, 0, 21, 1e-5) - at(0, 0, 21, -1e-5)) / 2e-5);
    return finish(CELLS * SWEEPS, "cell and sweep");
}
