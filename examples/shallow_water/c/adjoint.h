/* adjoint.h: parts of the adjoint: of the time loop (adjoint.c), the differentiated loops over the grid
 * (adjoint_loops.c), and ghost cells (ghosts.c). */
#ifndef SHALLOW_WATER_ADJOINT_H
#define SHALLOW_WATER_ADJOINT_H

#include "model.h"

/* What run_fwd and run_bwd consist of: the initial state, and one step of the time loop. */
void set_initial_fwd(const grid_t *g, fields_t *f, const double *w, adtape_t *t);
void run_step_fwd(const grid_t *g, fields_t *f, int step, double *observed, adtape_t *t);
void run_step_bwd(const grid_t *g, fields_t *f, fields_t *fb, int step, double *observedb, adtape_t *t);
void set_initial_bwd(const grid_t *g, const fields_t *f, fields_t *fb, double *wb, adtape_t *t);

void fill_ghosts_fwd(const grid_t *g, double *q, double wall_sign);
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
