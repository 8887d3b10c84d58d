/* optimise.h: minimisation of the cost. */
#ifndef SHALLOW_WATER_OPTIMISE_H
#define SHALLOW_WATER_OPTIMISE_H

#include "fourdvar.h"

/* A few iterations of limited-memory BFGS from w, which becomes the best control found; prints a line for each.
 * The costs before and after. 0 on failure, with a message on standard error. */
int optimise(fourdvar_t *p, int iterations, double *w, double *first_cost, double *last_cost);

#endif
