/* problem.h: the cost of examples/shallow_water/c/fourdvar.h and its gradient, on many ranks. Each rank has the
 * controls and the observations of its part, and J is a sum over all ranks. */
#ifndef SHALLOW_WATER_MPI_PROBLEM_H
#define SHALLOW_WATER_MPI_PROBLEM_H

#include "domain.h"
#include "experiment.h"

typedef struct problem {
    domain_t d;
    grid_t g;
    fields_t f, fb; /* primal, adjoint */
    double sigma_o;
    double *y, *observed, *observedb; /* observations, H(w), its adjoint */
    double *w;         /* controls at which the gradient is taken: half way to the truth, with some noise */
    double *direction; /* for its test */
    double cost_of_part, cost_of_partb, cost, costb;
} problem_t;

/* Collective. 0 if there is no memory. d is made. */
int problem_create(problem_t *p, const experiment_t *e);
void problem_destroy(problem_t *p);

/* J(x). Collective, as what follows. */
double cost(problem_t *p, const double *x);
/* J(w) and its gradient, with the tape of all steps. */
double cost_and_gradient(problem_t *p, double *gradient);
/* J(w) and its gradient with so many checkpoints: in memory, or in files of a directory, where a run that was killed goes on. */
double cost_and_gradient_by_driver(problem_t *p, int checkpoints, const char *directory, double *gradient,
                                   adtape_progress_t *done);

/* Parts of it: J(w) from what was observed, forward; its adjoint; the derivative by what was observed at the end of a
 * step, if anything was. */
void cost_of_run(problem_t *p);
void cost_of_run_b(problem_t *p);
void cost_of_step_b(problem_t *p, int step);

/* The place of a control of this part in the vector of the whole channel. */
int64_t whole_control(const problem_t *p, int control);

#endif
