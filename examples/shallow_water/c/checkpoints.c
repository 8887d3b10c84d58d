#include "checkpoints.h"

#include "adjoint.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>

/* What the driver's functions get. */
typedef struct loop {
    fourdvar_t *p;
    reversal_t *r;
} loop_t;

static void must(adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        progress_clear();
        (void)fprintf(stderr, "shallow_water: %s\n", adtape_error_message());
        exit(1);
    }
}

/* ---- the time loop: the driver counts steps from 0, the model from 1 ------------------------------------- */

static int32_t step(uint64_t k, void *user) {
    const loop_t *loop = user;
    run_step(&loop->p->g, &loop->p->f, (int)k + 1, loop->p->observed);
    progress_add(2);
    return ADTAPE_FLOW_CONTINUE;
}

static int32_t record_step(uint64_t k, void *user) {
    const loop_t *loop = user;
    int64_t bytes;
    run_step_fwd(&loop->p->g, &loop->p->f, (int)k + 1, loop->p->observed, loop->p->tape);
    bytes = (int64_t)bytes_on_tape(loop->p);
    if (bytes > loop->r->tape_bytes) {
        loop->r->tape_bytes = bytes;
    }
    progress_add(3);
    return ADTAPE_FLOW_CONTINUE;
}

/* Nothing comes between the loop and the cost but the observations, so the first step is like the others. */
static int32_t reverse_step(uint64_t k, int32_t first, void *user) {
    const loop_t *loop = user;
    (void)first;
    cost_of_step_b(loop->p, (int)k + 1);
    run_step_bwd(&loop->p->g, &loop->p->f, &loop->p->fb, (int)k + 1, loop->p->observedb, loop->p->tape);
    progress_add(4);
    return ADTAPE_FLOW_CONTINUE;
}

static int32_t adjoint_step(uint64_t k, int32_t first, void *user) {
    (void)record_step(k, user);
    return reverse_step(k, first, user);
}

/* Each step is run once with recording; what the schedule runs beyond that is extra. What check mode runs to compare
 * states is in neither. */
static void count_steps(const adtape_progress_t *progress, void *user) {
    reversal_t *r = user;
    r->extra_steps = (int64_t)progress->forward_steps - r->steps;
}

/* ---- the gradient ----------------------------------------------------------------------------------------- */

double cost_and_gradient_by_driver(fourdvar_t *p, int snapshots, const double *w, double *gradient, reversal_t *r) {
    const double start = clock_seconds();
    const uint64_t field_bytes = (uint64_t)p->g.cells * sizeof(double), steps = (uint64_t)p->g.steps;
    loop_t loop = {p, r};
    adtape_driver_t *driver;
    adtape_schedule_t *schedule;
    *r = (reversal_t){.steps = p->g.steps, .snapshots = snapshots, .state_bytes = 3 * (int64_t)field_bytes};
    must(adtape_driver_create(&driver));
    must(adtape_driver_set_steps(driver, step, adjoint_step, &loop));
    must(adtape_driver_set_records(driver, record_step, reverse_step));
    must(adtape_driver_set_progress(driver, count_steps, r));
    must(adtape_driver_register(driver, p->f.h, field_bytes));
    must(adtape_driver_register(driver, p->f.m, field_bytes));
    must(adtape_driver_register(driver, p->f.n, field_bytes));
    if (snapshots == 0) {
        must(adtape_schedule_create_store_all(steps, &schedule));
    } else {
        must(adtape_driver_create_schedule(driver, steps, (uint64_t)snapshots * 3 * field_bytes, &schedule));
    }
    p->f.fastest = 0.0;
    set_initial_fwd(&p->g, &p->f, w, p->tape);
    must(adtape_driver_run(driver, schedule));
    set_initial_bwd(&p->g, &p->f, &p->fb, gradient, p->tape);
    for (int c = 0; c < p->g.controls; c++) {
        gradient[c] += w[c];
    }
    r->seconds = clock_seconds() - start;
    must(adtape_driver_snapshot_bytes(driver, &r->snapshot_bytes));
    adtape_schedule_destroy(schedule);
    must(adtape_driver_destroy(driver));
    return cost_of_run(p, w);
}
