/* experiment.h: which problem is run: SIZE=small, default or large. Used by the program on many ranks and by the serial
 * one, which it is compared with. */
#ifndef SHALLOW_WATER_MPI_EXPERIMENT_H
#define SHALLOW_WATER_MPI_EXPERIMENT_H

typedef struct experiment {
    int nx, ny, steps, observe_every; /* as grid_create has them */
} experiment_t;

/* Ends the program with code 2 if SIZE is not known. */
experiment_t experiment_choose(void);

#endif
