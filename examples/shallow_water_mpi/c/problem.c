#include "problem.h"

#include "adjoint.h"
#include "vectors.h"

#include <math.h>
#include <stdlib.h>

/* ---- what of the whole is here ------------------------------------------------------------------ */

int64_t whole_control(const problem_t *p, int control) {
    const part_t *part = &p->d.part;
    const int third = p->g.nx * p->g.ny, c = control % third;
    const int64_t i = part->x + c % p->g.nx, j = part->y + c / p->g.nx;
    return ((int64_t)(control / third) * part->whole_ny + j) * part->whole_nx + i;
}

static int64_t whole_observation(const problem_t *p, int o) {
    const part_t *part = &p->d.part;
    const int row = p->g.nx / 4, once = row * (p->g.ny / 4);
    const int whole_row = part->whole_nx / 4, whole_once = whole_row * (part->whole_ny / 4);
    const int64_t i = part->x / 4 + o % row, j = part->y / 4 + o % once / row;
    return (int64_t)(o / once) * whole_once + j * whole_row + i;
}

/* Adds `factor` times the noise of the whole channel to what is here. */
static int add_noise(const problem_t *p, int64_t seed, int64_t whole_count, int count,
                     int64_t (*whole)(const problem_t *, int), double factor, double *x) {
    double *of_all = malloc((size_t)whole_count * sizeof(double));
    if (of_all == NULL) {
        return 0;
    }
    noise(seed, whole_count, of_all);
    for (int i = 0; i < count; i++) {
        x[i] += factor * of_all[whole(p, i)];
    }
    free(of_all);
    return 1;
}

static void set_truth(const problem_t *p, double *truth) {
    const grid_t *g = &p->g;
    const part_t *part = &p->d.part;
    const int third = g->nx * g->ny;
    for (int c = 0; c < third; c++) {
        const int i = c % g->nx + 2, j = c / g->nx + 2, k = j * g->row + i;
        double h, u, v;
        analytic_state((part->x + i - 1.5) / part->whole_nx, (part->y + j - 1.5) / part->whole_ny, 1, &h, &u, &v);
        truth[c] = (h - g->h0[k]) / g->sigma_h;
        truth[third + c] = (u - g->u0[k]) / g->sigma_u;
        truth[2 * third + c] = (v - g->v0[k]) / g->sigma_u;
    }
}

/* The truth, observations of it, and from it the point and the direction. */
static int set_experiment(problem_t *p) {
    const part_t *part = &p->d.part;
    const int n = p->g.controls, times = p->g.steps / p->g.observe_every;
    const int64_t controls = (int64_t)3 * part->whole_nx * part->whole_ny;
    const int64_t observations = (int64_t)times * (part->whole_nx / 4) * (part->whole_ny / 4);
    set_truth(p, p->w);
    run(&p->g, &p->f, p->w, p->y);
    for (int c = 0; c < n; c++) {
        p->direction[c] = p->w[c];
        p->w[c] *= 0.5;
    }
    return add_noise(p, 20261, observations, p->g.observed, whole_observation, sqrt(3.0) * p->sigma_o, p->y) &&
           add_noise(p, 1, controls, n, whole_control, 0.01, p->w) &&
           add_noise(p, 2, controls, n, whole_control, 0.1, p->direction);
}

/* ---- creation ----------------------------------------------------------------------------------- */

/* Says where what is sent lies, and where its adjoint does. */
static void register_address(void *x, void *xb, int64_t bytes, int32_t kind, const char *label) {
    adtape_live_add(NULL, x, bytes, kind, label);
    adtape_live_set_adjoint(NULL, x, xb, bytes);
}

int problem_create(problem_t *p, const experiment_t *e) {
    const domain_t d = p->d;
    *p = (problem_t){.d = d, .sigma_o = 0.01};
    if (!grid_create_part(&p->g, d.nx, d.ny, e->steps, e->observe_every, d.part) || !fields_create(&p->g, &p->f) ||
        !fields_create(&p->g, &p->fb)) {
        return 0;
    }
    p->y = calloc((size_t)p->g.observed, sizeof(double));
    p->observed = calloc((size_t)p->g.observed, sizeof(double));
    p->observedb = calloc((size_t)p->g.observed, sizeof(double));
    p->w = calloc((size_t)p->g.controls, sizeof(double));
    p->direction = calloc((size_t)p->g.controls, sizeof(double));
    if (p->y == NULL || p->observed == NULL || p->observedb == NULL || p->w == NULL || p->direction == NULL) {
        return 0;
    }
    halo_create(&p->d, &p->g);
    register_address(p->f.h, p->fb.h, (int64_t)p->g.cells * 12 * (int64_t)sizeof(double), ADTAPE_KIND_HEAP, "fields");
    register_address(&p->cost_of_part, &p->cost_of_partb, sizeof(double), ADTAPE_KIND_STACK, "cost_of_part");
    register_address(&p->cost, &p->costb, sizeof(double), ADTAPE_KIND_STACK, "cost");
    return set_experiment(p);
}

void problem_destroy(problem_t *p) {
    adtape_live_remove(NULL, p->f.h);
    adtape_live_remove(NULL, &p->cost_of_part);
    adtape_live_remove(NULL, &p->cost);
    halo_destroy();
    grid_destroy(&p->g);
    fields_destroy(&p->f);
    fields_destroy(&p->fb);
    free(p->y);
    free(p->observed);
    free(p->observedb);
    free(p->w);
    free(p->direction);
}

/* ---- cost and gradient -------------------------------------------------------------------------- */

static double part_of_cost(const problem_t *p, const double *w) {
    double misfit = 0.0;
    for (int o = 0; o < p->g.observed; o++) {
        const double d = (p->observed[o] - p->y[o]) / p->sigma_o;
        misfit += d * d;
    }
    return 0.5 * dot_product(p->g.controls, w, w) + 0.5 * misfit;
}

double cost(problem_t *p, const double *x) {
    run(&p->g, &p->f, x, p->observed);
    p->cost_of_part = part_of_cost(p, x);
    MPI_Allreduce(&p->cost_of_part, &p->cost, 1, MPI_DOUBLE, MPI_SUM, p->d.comm);
    return p->cost;
}

void cost_of_run(problem_t *p) {
    p->cost_of_part = part_of_cost(p, p->w);
    adtape_MPI_Allreduce(&p->cost_of_part, &p->cost, 1, MPI_DOUBLE, MPI_SUM, p->d.comm);
}

/* Each rank has the cost; it is one of these that is differentiated. */
void cost_of_run_b(problem_t *p) {
    p->costb = p->d.rank == 0 ? 1.0 : 0.0;
    p->cost_of_partb = 0.0;
    adtape_MPI_Allreduce_b();
}

void cost_of_step_b(problem_t *p, int step) {
    if (step % p->g.observe_every == 0) {
        const int first = first_observation(&p->g, step), count = (p->g.nx / 4) * (p->g.ny / 4);
        for (int o = first; o < first + count; o++) {
            p->observedb[o] = p->cost_of_partb * (p->observed[o] - p->y[o]) / (p->sigma_o * p->sigma_o);
        }
    }
}

double cost_and_gradient(problem_t *p, double *gradient) {
    run_fwd(&p->g, &p->f, p->w, p->observed, adtape_self());
    cost_of_run(p);
    cost_of_run_b(p);
    for (int step = 1; step <= p->g.steps; step++) {
        cost_of_step_b(p, step);
    }
    run_bwd(&p->g, &p->f, &p->fb, gradient, p->observedb, adtape_self());
    for (int c = 0; c < p->g.controls; c++) {
        gradient[c] += p->cost_of_partb * p->w[c];
    }
    return p->cost;
}
