/* domain.h: the channel in parts, one a rank. Cells of observations lie four apart, so a part has a multiple of four
 * cells each way. */
#ifndef SHALLOW_WATER_MPI_DOMAIN_H
#define SHALLOW_WATER_MPI_DOMAIN_H

#include "model.h"

#include <adtape_mpi.h>

typedef struct domain {
    MPI_Comm comm; /* ranks in a grid: periodic along the channel, walls across it */
    int rank, ranks;
    int count[2], place[2]; /* parts along x and y, and which of them is this rank's */
    int nx, ny;             /* cells of the part */
    part_t part;
} domain_t;

/* Collective. 0 if the channel is too small for that many ranks. */
int domain_create(domain_t *d, int whole_nx, int whole_ny);

/* Prepares fill_ghosts, fill_ghosts_fwd and fill_ghosts_b (halo.c) for fields of this grid. */
void halo_create(const domain_t *d, const grid_t *g);
void halo_destroy(void);

#endif
