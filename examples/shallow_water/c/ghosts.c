/* ghosts.c: ghost cells, of the primal and of its adjoint: all that the parts of a channel would have to exchange. A model
 * on many ranks has this file of its own, examples/shallow_water_mpi/c/halo.c. */
#include "adjoint.h"

/* Periodic in x; in y the mirror image, with wall_sign -1 for the momentum across the wall. */
void fill_ghosts(const grid_t *g, double *q, double wall_sign) {
    const int nx = g->nx, ny = g->ny, row = g->row;
    for (int j = 2; j < ny + 2; j++) {
        double *p = q + j * row;
        p[0] = p[nx];
        p[1] = p[nx + 1];
        p[nx + 2] = p[2];
        p[nx + 3] = p[3];
    }
    for (int i = 2; i < nx + 2; i++) {
        q[0 * row + i] = wall_sign * q[3 * row + i];
        q[1 * row + i] = wall_sign * q[2 * row + i];
        q[(ny + 2) * row + i] = wall_sign * q[(ny + 1) * row + i];
        q[(ny + 3) * row + i] = wall_sign * q[ny * row + i];
    }
}

/* It is linear: nothing is pushed. */
void fill_ghosts_fwd(const grid_t *g, double *q, double wall_sign) { fill_ghosts(g, q, wall_sign); }

void fill_ghosts_b(const grid_t *g, double *qb, double wall_sign) {
    const int nx = g->nx, ny = g->ny, row = g->row;
    for (int i = 2; i < nx + 2; i++) {
        qb[ny * row + i] += wall_sign * qb[(ny + 3) * row + i];
        qb[(ny + 1) * row + i] += wall_sign * qb[(ny + 2) * row + i];
        qb[2 * row + i] += wall_sign * qb[1 * row + i];
        qb[3 * row + i] += wall_sign * qb[0 * row + i];
        qb[0 * row + i] = qb[1 * row + i] = qb[(ny + 2) * row + i] = qb[(ny + 3) * row + i] = 0.0;
    }
    for (int j = 2; j < ny + 2; j++) {
        double *pb = qb + j * row;
        pb[3] += pb[nx + 3];
        pb[2] += pb[nx + 2];
        pb[nx + 1] += pb[1];
        pb[nx] += pb[0];
        pb[0] = pb[1] = pb[nx + 2] = pb[nx + 3] = 0.0;
    }
}
