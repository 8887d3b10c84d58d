/* The optimiser is libLBFGS (Debian: liblbfgs-dev), L-BFGS with a backtracking line search. */
#include "optimise.h"

#include "terminal.h"

#include <lbfgs.h>
#include <stdio.h>
#include <string.h>

typedef struct history {
    fourdvar_t *p;
    double first_cost;
    int evaluations;
} history_t;

static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *w, lbfgsfloatval_t *gradient, const int n,
                                const lbfgsfloatval_t step) {
    history_t *history = instance;
    const double j = cost_and_gradient(history->p, w, gradient);
    (void)step;
    if (history->evaluations++ == 0) {
        history->first_cost = j;
        progress_clear();
        (void)printf("  %9d  %15.6e  %11.3e\n", 0, j, norm(n, gradient));
    }
    return j;
}

static int report(void *instance, const lbfgsfloatval_t *w, const lbfgsfloatval_t *gradient, const lbfgsfloatval_t j,
                  const lbfgsfloatval_t norm_w, const lbfgsfloatval_t norm_gradient, const lbfgsfloatval_t step, int n,
                  int iteration, int evaluations) {
    (void)instance, (void)w, (void)gradient, (void)norm_w, (void)n;
    progress_clear();
    (void)printf("  %9d  %15.6e  %11.3e  %10.3e  %11d\n", iteration, j, norm_gradient, step, evaluations);
    (void)fflush(stdout);
    return 0;
}

int optimise(fourdvar_t *p, int iterations, double *w, double *first_cost, double *last_cost) {
    history_t history = {p, 0.0, 0};
    lbfgs_parameter_t parameter;
    lbfgsfloatval_t *x = lbfgs_malloc(p->g.controls); /* aligned as the library wants it */
    lbfgsfloatval_t j = 0.0;
    int status;
    if (x == NULL) {
        (void)fprintf(stderr, "shallow_water: no memory for the optimiser\n");
        return 0;
    }
    memcpy(x, w, (size_t)p->g.controls * sizeof(double));
    lbfgs_parameter_init(&parameter);
    parameter.max_iterations = iterations;
    parameter.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    progress_clear();
    (void)printf("  iteration             cost   |gradient|        step  evaluations\n");
    status = lbfgs(p->g.controls, x, &j, evaluate, report, &history, &parameter);
    memcpy(w, x, (size_t)p->g.controls * sizeof(double));
    lbfgs_free(x);
    *first_cost = history.first_cost;
    *last_cost = j;
    if (status != LBFGS_SUCCESS && status != LBFGSERR_MAXIMUMITERATION) {
        progress_clear();
        (void)fprintf(stderr, "shallow_water: the optimiser stopped with code %d of lbfgs.h\n", status);
        return 0;
    }
    return 1;
}
