/* adjoint.h: the differentiated loops of adjoint_loops.c, called from adjoint.c. */
#ifndef SHALLOW_WATER_ADJOINT_H
#define SHALLOW_WATER_ADJOINT_H

#include "model.h"

void fill_ghosts_b(const grid_t *g, double *qb, double wall_sign);
void limited_slopes_fwd(const grid_t *g, int stride, const double *q, double *s, adtape_t *t);
void limited_slopes_bwd(const grid_t *g, int stride, double *qb, double *sb, adtape_t *t);
void add_fluxes_fwd(const grid_t *g, int stride, const direction_t *p, double *fastest, adtape_t *t);
void add_fluxes_bwd(const grid_t *g, int stride, const direction_t *pb, adtape_t *t);
void add_forces_fwd(const grid_t *g, const double *h, const double *m, const double *n, double *km, double *kn,
                    adtape_t *t);
void add_forces_bwd(const grid_t *g, const double *h, double *hb, double *mb, double *nb, const double *kmb,
                    const double *knb, adtape_t *t);

#endif
