/* halo.c: ghost cells of a part of the channel, in place of examples/shallow_water/c/ghosts.c.
 *
 * Two cells next to each side go to the neighbour there, and two of the neighbour's come back:
 *
 *     | ghost ghost | inner inner ... inner inner | ghost ghost |
 *        to be filled  sent west       sent east     to be filled
 *
 * Where there is a wall, there is no neighbour: MPI_PROC_NULL. A message is tagged with the side that it leaves by. */
#include "adjoint.h"
#include "domain.h"

enum { WEST, EAST, SOUTH, NORTH, SIDES };

static struct {
    MPI_Comm comm;
    int neighbour[SIDES];
    int inner[SIDES], ghost[SIDES]; /* the first element that is sent, and that is filled */
    MPI_Datatype cells[SIDES];      /* columns of two, or two rows */
} halo;

static int opposite(int side) { return side ^ 1; }

void halo_create(const domain_t *d, const grid_t *g) {
    const int nx = g->nx, ny = g->ny, row = g->row, corner = 2 * row + 2;
    const int inner[SIDES] = {corner, corner + nx - 2, corner, corner + (ny - 2) * row};
    const int ghost[SIDES] = {corner - 2, corner + nx, corner - 2 * row, corner + ny * row};
    halo.comm = d->comm;
    MPI_Cart_shift(d->comm, 0, 1, &halo.neighbour[WEST], &halo.neighbour[EAST]);
    MPI_Cart_shift(d->comm, 1, 1, &halo.neighbour[SOUTH], &halo.neighbour[NORTH]);
    for (int side = 0; side < SIDES; side++) {
        halo.inner[side] = inner[side];
        halo.ghost[side] = ghost[side];
        if (side == WEST || side == EAST) {
            MPI_Type_vector(ny, 2, row, MPI_DOUBLE, &halo.cells[side]);
        } else {
            MPI_Type_vector(2, nx, row, MPI_DOUBLE, &halo.cells[side]);
        }
        MPI_Type_commit(&halo.cells[side]);
    }
}

void halo_destroy(void) {
    for (int side = 0; side < SIDES; side++) {
        MPI_Type_free(&halo.cells[side]);
    }
}

/* ---- between neighbours: the primal, which leaves nothing on the tape; forward and reverse sweep  */

static void exchange(double *q) {
    MPI_Request r[2 * SIDES];
    MPI_Status statuses[2 * SIDES];
    for (int side = 0; side < SIDES; side++) {
        MPI_Irecv(q + halo.ghost[side], 1, halo.cells[side], halo.neighbour[side], opposite(side), halo.comm, &r[side]);
    }
    for (int side = 0; side < SIDES; side++) {
        MPI_Isend(q + halo.inner[side], 1, halo.cells[side], halo.neighbour[side], side, halo.comm, &r[SIDES + side]);
    }
    MPI_Waitall(2 * SIDES, r, statuses);
}

static void exchange_fwd(double *q) {
    MPI_Request r[2 * SIDES];
    for (int side = 0; side < SIDES; side++) {
        adtape_MPI_Irecv(q + halo.ghost[side], 1, halo.cells[side], halo.neighbour[side], opposite(side), halo.comm,
                         &r[side]);
    }
    for (int side = 0; side < SIDES; side++) {
        adtape_MPI_Isend(q + halo.inner[side], 1, halo.cells[side], halo.neighbour[side], side, halo.comm,
                         &r[SIDES + side]);
    }
    adtape_MPI_Waitall(2 * SIDES, r, MPI_STATUSES_IGNORE);
}

/* Which field, which neighbour, how much: the tape knows. */
static void exchange_bwd(void) {
    adtape_MPI_Waitall_b();
    for (int side = 0; side < SIDES; side++) {
        adtape_MPI_Isend_b();
    }
    for (int side = 0; side < SIDES; side++) {
        adtape_MPI_Irecv_b();
    }
}

/* ---- at the walls: the mirror image, with wall_sign -1 for the momentum across the wall --------- */

static int is_wall(int side) { return halo.neighbour[side] == MPI_PROC_NULL; }

static void mirror(const grid_t *g, double *q, double wall_sign) {
    const int ny = g->ny, row = g->row;
    for (int i = 2; i < g->nx + 2; i++) {
        if (is_wall(SOUTH)) {
            q[0 * row + i] = wall_sign * q[3 * row + i];
            q[1 * row + i] = wall_sign * q[2 * row + i];
        }
        if (is_wall(NORTH)) {
            q[(ny + 2) * row + i] = wall_sign * q[(ny + 1) * row + i];
            q[(ny + 3) * row + i] = wall_sign * q[ny * row + i];
        }
    }
}

static void mirror_b(const grid_t *g, double *qb, double wall_sign) {
    const int ny = g->ny, row = g->row;
    for (int i = 2; i < g->nx + 2; i++) {
        if (is_wall(NORTH)) {
            qb[ny * row + i] += wall_sign * qb[(ny + 3) * row + i];
            qb[(ny + 1) * row + i] += wall_sign * qb[(ny + 2) * row + i];
            qb[(ny + 2) * row + i] = qb[(ny + 3) * row + i] = 0.0;
        }
        if (is_wall(SOUTH)) {
            qb[2 * row + i] += wall_sign * qb[1 * row + i];
            qb[3 * row + i] += wall_sign * qb[0 * row + i];
            qb[0 * row + i] = qb[1 * row + i] = 0.0;
        }
    }
}

/* ---- both --------------------------------------------------------------------------------------- */

void fill_ghosts(const grid_t *g, double *q, double wall_sign) {
    exchange(q);
    mirror(g, q, wall_sign);
}

void fill_ghosts_fwd(const grid_t *g, double *q, double wall_sign) {
    exchange_fwd(q);
    mirror(g, q, wall_sign);
}

void fill_ghosts_b(const grid_t *g, double *qb, double wall_sign) {
    mirror_b(g, qb, wall_sign);
    exchange_bwd();
}
