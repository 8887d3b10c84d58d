/* fourdvar.h: variational data assimilation with the model, on synthetic observations (an identical twin: the
 * model run from the truth gives them, so that the answer is known), and the tests of its derivatives.
 *
 *   J(w) = 1/2 |w|^2 + 1/2 |(H(w) - y) / sigma_o|^2
 *
 * w: controls, the deviation of the initial state from the background in units of its standard deviation;
 * H: initial state, model, observation (run); y: observations. */
#ifndef SHALLOW_WATER_FOURDVAR_H
#define SHALLOW_WATER_FOURDVAR_H

#include "model.h"
#include "vectors.h"

typedef struct fourdvar {
    grid_t g;
    fields_t f, fb;       /* primal, adjoint */
    double sigma_o;
    double *y;            /* observations */
    double *truth;        /* the control that the observations come from */
    double *observed;     /* H(w) */
    double *observedb;
    adtape_t *tape;
    /* what the evaluations took: the least of all, and the first, in which the tape's memory is new */
    int gradients;
    double primal_seconds, forward_seconds, reverse_seconds;
    double first_forward_seconds;
    uint64_t tape_bytes; /* on the tape between forward and reverse sweep */
} fourdvar_t;

/* The problem and its observations. 0 if there is no memory. */
int fourdvar_create(fourdvar_t *p, int nx, int ny, int steps, int observe_every, adtape_t *t);
void fourdvar_destroy(fourdvar_t *p);

/* J(w); infinite if the model left the region where it is valid. */
double cost(fourdvar_t *p, const double *w);
/* The same and the gradient: forward sweep, reverse sweep. */
double cost_and_gradient(fourdvar_t *p, const double *w, double *gradient);

/* Parts of it: J from the controls and from what was observed; the derivative of J by what was observed at the end of
 * a step, if anything was; what is on the tape. */
double cost_of_run(const fourdvar_t *p, const double *w);
void cost_of_step_b(const fourdvar_t *p, int step);
uint64_t bytes_on_tape(const fourdvar_t *p);

enum { TAYLOR_STEPS = 12 };
/* The gradient at w against J in the direction d, by the library. 0 if there is no memory. */
int taylor_test(fourdvar_t *p, const double *w, const double *d, adtape_test_report_t *report);

/* (y, H' d) by the tangent program and (H'^T y, d) by the adjoint, for a random y, by the library. 0 if there is no
 * memory. */
int dot_product_test(fourdvar_t *p, const double *w, const double *d, adtape_test_report_t *report);

/* Root mean square error of the initial depth (m) and of the initial velocity (m/s) against the truth. */
void error_of_state(const fourdvar_t *p, const double *w, double *depth, double *velocity);

#endif
