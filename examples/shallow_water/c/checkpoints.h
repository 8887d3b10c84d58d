/* checkpoints.h: the gradient by a driver, which keeps some states of the run instead of the tape of every step. */
#ifndef SHALLOW_WATER_CHECKPOINTS_H
#define SHALLOW_WATER_CHECKPOINTS_H

#include "fourdvar.h"
#include "reversal.h"

/* cost_and_gradient with so many snapshots; with 0, the tape of every step is kept, as there. */
double cost_and_gradient_by_driver(fourdvar_t *p, int snapshots, const double *w, double *gradient, reversal_t *r);

#endif
