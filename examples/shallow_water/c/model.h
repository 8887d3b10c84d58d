/* model.h: a shallow-water model and its derivative programs.
 *
 * Model: depth h and momenta m = h u, n = h v in a channel that is periodic in x and has walls in y;
 *   h_t + m_x + n_y = 0,   m_t + (m u + g h^2/2)_x + (m v)_y =  f n - c |(u,v)| u,   n likewise,
 * by finite volumes: limited (minmod) linear reconstruction, upwinded fluxes (Rusanov; the transverse velocity
 * comes from the side the water comes from), Heun's two stages in time.
 *
 * Names of derivative code, as generators give them:
 *   x     a variable of the primal          run        the primal
 *   xd    its tangent                       run_d      tangent program: primal and tangent
 *   xb    its adjoint                       run_fwd    forward sweep: primal, pushes what it overwrites
 *                                           run_bwd    reverse sweep: pops, accumulates adjoints
 *
 * A field has nx x ny cells and two ghost cells on every side; cell (i, j) is element j*row + i, and the cells
 * of the channel are 2 <= i < nx+2, 2 <= j < ny+2. */
#ifndef SHALLOW_WATER_MODEL_H
#define SHALLOW_WATER_MODEL_H

#include "adtape.h"

/* What does not change while the model runs. */
typedef struct grid {
    int nx, ny, row, cells; /* row = nx + 4; cells = row (ny + 4), the elements of a field */
    int steps, observe_every;
    int observed;  /* observations: depth, every fourth cell both ways, every observe_every steps */
    int controls;  /* 3 nx ny: deviations of h, u, v at time 0 from the background, in units of sigma */
    double dx, dt, gravity, coriolis, drag;
    double sigma_h, sigma_u;
    double *h0, *u0, *v0; /* background: the first guess of the initial state */
} grid_t;

/* What does: one set for the primal, one for its tangent, one for its adjoint. */
typedef struct fields {
    double *h, *m, *n;    /* state */
    double *h1, *m1, *n1; /* after Heun's first stage */
    double *kh, *km, *kn; /* rate of change */
    double *sh, *sm, *sn; /* half the limited slope in the direction of the sweep */
    double fastest;       /* largest signal speed seen, for the CFL check (primal only) */
} fields_t;

/* One direction of a sweep: q is the momentum along it, r the one across. */
typedef struct direction {
    double *h, *q, *r;    /* state */
    double *sh, *sq, *sr; /* half slopes */
    double *kh, *kq, *kr; /* rates of change */
} direction_t;

/* Where a part of the channel lies: cells of the whole, and before it. */
typedef struct part {
    int whole_nx, whole_ny, x, y;
} part_t;

/* The channel, its background state, and all constants. 0 if there is no memory. */
int grid_create(grid_t *g, int nx, int ny, int steps, int observe_every);
/* A part of it, of nx x ny cells, for a program on several processes. */
int grid_create_part(grid_t *g, int nx, int ny, int steps, int observe_every, part_t part);
void grid_destroy(grid_t *g);
/* All zero. 0 if there is no memory. */
int fields_create(const grid_t *g, fields_t *f);
void fields_destroy(fields_t *f);

/* A smooth state; `which` 0 is the background, 1 the truth of the twin experiment. x, y in [0, 1]. */
void analytic_state(double x, double y, int which, double *h, double *u, double *v);

/* After run or run_fwd: 1 if the depth is positive everywhere and the Courant number at most 1/2 in each
 * direction. */
int run_was_valid(const grid_t *g, const fields_t *f);
double courant_number(const grid_t *g, const fields_t *f);

/* w: controls. observed: depth at the observed cells and times. */
void run(const grid_t *g, fields_t *f, const double *w, double *observed);
/* One step of its loop, 1 <= step <= steps. */
void run_step(const grid_t *g, fields_t *f, int step, double *observed);
void run_d(const grid_t *g, fields_t *f, fields_t *fd, const double *w, const double *wd, double *observed,
           double *observedd);
void run_fwd(const grid_t *g, fields_t *f, const double *w, double *observed, adtape_t *t);
/* Takes observedb, the derivative of something by `observed`; gives wb, its derivative by w. fb: all zero
 * before and after. */
void run_bwd(const grid_t *g, fields_t *f, fields_t *fb, double *wb, double *observedb, adtape_t *t);

/* Parts of the primal that are linear or have no derivative, which the derivative programs share. */
direction_t along_x(const fields_t *f, double *h, double *m, double *n);
direction_t along_y(const fields_t *f, double *h, double *m, double *n);
void fill_ghosts(const grid_t *g, double *q, double wall_sign);
void first_stage(const grid_t *g, fields_t *f);
void second_stage(const grid_t *g, fields_t *f);
void observe(const grid_t *g, const double *h, double *observed);
/* The first of the observations at the time of a step. */
int first_observation(const grid_t *g, int step);

#endif
