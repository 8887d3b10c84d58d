/* replay.h: the tape by itself. */
#ifndef SHALLOW_WATER_REPLAY_H
#define SHALLOW_WATER_REPLAY_H

#include "model.h"

/* Pushes and pops what one gradient pushes and pops, in the same pattern of scalars, control bits and
 * sections, without the model's arithmetic. What each took, in seconds. */
void replay(const grid_t *g, adtape_t *t, double *push_seconds, double *pop_seconds);

#endif
