#include "fourdvar.h"

#include "page.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The control that leads from the background to the truth. */
static void set_truth(fourdvar_t *p) {
    const grid_t *g = &p->g;
    const int third = g->nx * g->ny;
    int c = 0;
    for (int j = 2; j < g->ny + 2; j++) {
        for (int i = 2; i < g->nx + 2; i++) {
            const int k = j * g->row + i;
            double h, u, v;
            analytic_state((i - 1.5) / g->nx, (j - 1.5) / g->ny, 1, &h, &u, &v);
            p->truth[c] = (h - g->h0[k]) / g->sigma_h;
            p->truth[third + c] = (u - g->u0[k]) / g->sigma_u;
            p->truth[2 * third + c] = (v - g->v0[k]) / g->sigma_u;
            c++;
        }
    }
}

int fourdvar_create(fourdvar_t *p, int nx, int ny, int steps, int observe_every, adtape_t *t) {
    *p = (fourdvar_t){0};
    p->tape = t;
    p->sigma_o = 0.01;
    p->primal_seconds = p->forward_seconds = p->reverse_seconds = HUGE_VAL;
    if (!grid_create(&p->g, nx, ny, steps, observe_every) || !fields_create(&p->g, &p->f) ||
        !fields_create(&p->g, &p->fb)) {
        return 0;
    }
    p->y = malloc((size_t)p->g.observed * sizeof(double));
    p->observed = malloc((size_t)p->g.observed * sizeof(double));
    p->observedb = malloc((size_t)p->g.observed * sizeof(double));
    p->truth = malloc((size_t)p->g.controls * sizeof(double));
    if (p->y == NULL || p->observed == NULL || p->observedb == NULL || p->truth == NULL) {
        return 0;
    }
    set_truth(p);
    run(&p->g, &p->f, p->truth, p->observed);
    noise(20261, p->g.observed, p->y);
    for (int o = 0; o < p->g.observed; o++) {
        p->y[o] = p->observed[o] + sqrt(3.0) * p->sigma_o * p->y[o]; /* of standard deviation sigma_o */
    }
    return 1;
}

void fourdvar_destroy(fourdvar_t *p) {
    grid_destroy(&p->g);
    fields_destroy(&p->f);
    fields_destroy(&p->fb);
    free(p->y);
    free(p->observed);
    free(p->observedb);
    free(p->truth);
}

double cost_of_run(const fourdvar_t *p, const double *w) {
    double misfit = 0.0;
    for (int o = 0; o < p->g.observed; o++) {
        const double d = (p->observed[o] - p->y[o]) / p->sigma_o;
        misfit += d * d;
    }
    return 0.5 * dot_product(p->g.controls, w, w) + 0.5 * misfit;
}

double cost(fourdvar_t *p, const double *w) {
    const double start = clock_seconds();
    run(&p->g, &p->f, w, p->observed);
    p->primal_seconds = fmin(p->primal_seconds, clock_seconds() - start);
    return run_was_valid(&p->g, &p->f) ? cost_of_run(p, w) : HUGE_VAL;
}

/* The derivative of J by some of the observations. */
static void cost_of_run_b(const fourdvar_t *p, int first, int count) {
    for (int o = first; o < first + count; o++) {
        p->observedb[o] = (p->observed[o] - p->y[o]) / (p->sigma_o * p->sigma_o);
    }
}

void cost_of_step_b(const fourdvar_t *p, int step) {
    if (step % p->g.observe_every == 0) {
        cost_of_run_b(p, first_observation(&p->g, step), (p->g.nx / 4) * (p->g.ny / 4));
    }
}

uint64_t bytes_on_tape(const fourdvar_t *p) {
    adtape_stats_t stats;
    if (adtape_stats(p->tape, &stats) != ADTAPE_STATUS_OK) {
        (void)fprintf(stderr, "shallow_water: %s\n", adtape_error_message());
        exit(1);
    }
    return stats.bytes + (stats.pending_bits + 7) / 8;
}

/* Reverses the run that run_fwd recorded; takes p->observedb. */
static void reverse(fourdvar_t *p, double *gradient) {
    run_bwd(&p->g, &p->f, &p->fb, gradient, p->observedb, p->tape);
    if (bytes_on_tape(p) != 0) {
        (void)fprintf(stderr, "shallow_water: values are left on the tape after the reverse sweep\n");
        exit(1);
    }
}

double cost_and_gradient(fourdvar_t *p, const double *w, double *gradient) {
    const double start = clock_seconds();
    double turn, j;
    adtape_mark_t mark;
    (void)adtape_mark_take(p->tape, &mark);
    run_fwd(&p->g, &p->f, w, p->observed, p->tape);
    turn = clock_seconds();
    if (!run_was_valid(&p->g, &p->f)) {
        for (int c = 0; c < p->g.controls; c++) {
            gradient[c] = 0.0;
        }
        (void)adtape_mark_reset(p->tape, &mark); /* nothing is to be reversed */
        return HUGE_VAL;
    }
    if (p->gradients++ == 0) {
        p->first_forward_seconds = turn - start;
    }
    p->forward_seconds = fmin(p->forward_seconds, turn - start);
    p->tape_bytes = bytes_on_tape(p);
    j = cost_of_run(p, w);
    cost_of_run_b(p, 0, p->g.observed);
    turn = clock_seconds();
    reverse(p, gradient);
    p->reverse_seconds = fmin(p->reverse_seconds, clock_seconds() - turn);
    for (int c = 0; c < p->g.controls; c++) {
        gradient[c] += w[c];
    }
    return j;
}

/* ---- the tests of the derivatives are the library's: these are its types of functions --------------------- */

static double cost_call(int64_t n, const double *w, void *user) {
    (void)n;
    return cost(user, w);
}

/* The tangent and the adjoint of H, at the point that the test is about. */
typedef struct at_point {
    fourdvar_t *p;
    const double *w;
    fields_t fd;
} at_point_t;

static void tangent_call(int64_t n, const double *d, int64_t m, double *observedd, void *user) {
    at_point_t *at = user;
    (void)n, (void)m;
    run_d(&at->p->g, &at->p->f, &at->fd, at->w, d, at->p->observed, observedd);
}

static void adjoint_call(int64_t m, const double *y, int64_t n, double *wb, void *user) {
    at_point_t *at = user;
    fourdvar_t *p = at->p;
    (void)n;
    run_fwd(&p->g, &p->f, at->w, p->observed, p->tape);
    memcpy(p->observedb, y, (size_t)m * sizeof(double));
    reverse(p, wb);
}

static void must(adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        progress_clear();
        (void)fprintf(stderr, "shallow_water: %s\n", adtape_error_message());
        exit(1);
    }
}

int taylor_test(fourdvar_t *p, const double *w, const double *d, adtape_test_report_t *report) {
    const int n = p->g.controls;
    const adtape_test_options_t options = {.direction = d,
                                           .first_step = 0.1, /* so large that rounding is far away */
                                           .steps = TAYLOR_STEPS,
                                           .tolerance = 1e-6, /* some of the cells lie at a kink: see README.md */
                                           .search_runs = -1,
                                           .plot = page_path("taylor")};
    double *gradient = malloc((size_t)n * sizeof(double));
    if (gradient == NULL) {
        return 0;
    }
    (void)cost_and_gradient(p, w, gradient);
    must(adtape_test_gradient_f64(cost_call, NULL, p, n, w, gradient, &options, report));
    free(gradient);
    return 1;
}

int dot_product_test(fourdvar_t *p, const double *w, const double *d, adtape_test_report_t *report) {
    const int m = p->g.observed;
    at_point_t at = {.p = p, .w = w};
    double *y = malloc((size_t)m * sizeof(double));
    const int ok = fields_create(&p->g, &at.fd) && y != NULL;
    if (ok) {
        const adtape_test_options_t options = {.direction = d, .weights = y, .search_runs = -1};
        noise(4711, m, y);
        must(adtape_test_dot_f64(tangent_call, adjoint_call, &at, p->g.controls, m, &options, report));
    }
    fields_destroy(&at.fd);
    free(y);
    return ok;
}

void error_of_state(const fourdvar_t *p, const double *w, double *depth, double *velocity) {
    const int third = p->g.controls / 3;
    double squares[2] = {0.0, 0.0};
    for (int c = 0; c < 3 * third; c++) {
        const double d = w[c] - p->truth[c];
        squares[c >= third] += d * d;
    }
    *depth = p->g.sigma_h * sqrt(squares[0] / third);
    *velocity = p->g.sigma_u * sqrt(squares[1] / third); /* of the vector (u, v) */
}
