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

static int32_t step(int64_t k, void *user) {
    const loop_t *loop = user;
    run_step(&loop->p->g, &loop->p->f, (int)k + 1, loop->p->observed);
    progress_add(2);
    return ADTAPE_FLOW_CONTINUE;
}

static int32_t record_step(int64_t k, void *user) {
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
static int32_t reverse_step(int64_t k, bool first, void *user) {
    const loop_t *loop = user;
    (void)first;
    cost_of_step_b(loop->p, (int)k + 1);
    run_step_bwd(&loop->p->g, &loop->p->f, &loop->p->fb, (int)k + 1, loop->p->observedb, loop->p->tape);
    progress_add(4);
    return ADTAPE_FLOW_CONTINUE;
}

static int32_t adjoint_step(int64_t k, bool first, void *user) {
    (void)record_step(k, user);
    return reverse_step(k, first, user);
}

/* ---- the gradient ----------------------------------------------------------------------------------------- */

double cost_and_gradient_by_driver(fourdvar_t *p, int snapshots, const double *w, double *gradient, reversal_t *r) {
    const double start = clock_seconds();
    const adtape_driver_calls_t calls = {.step = step,
                                         .adjoint_step = adjoint_step,
                                         .record_step = record_step,
                                         .reverse_step = reverse_step};
    const int64_t cells = p->g.cells;
    double *const fields[3] = {p->f.h, p->f.m, p->f.n};
    loop_t loop = {p, r};
    adtape_progress_t done;
    adtape_driver_t *driver;
    adtape_schedule_t *schedule;
    *r = (reversal_t){.steps = p->g.steps, .snapshots = snapshots, .state_bytes = 3 * cells * (int64_t)sizeof(double)};
    must(adtape_driver_create(&driver));
    must(adtape_driver_set_calls(driver, &calls, &loop));
    for (int i = 0; i < 3; i++) {
        must(adtape_driver_register(driver, ADTAPE_ROLE_STATE, NULL, ADTAPE_TYPE_F64, fields[i], 1, &cells, NULL));
    }
    if (snapshots == 0) {
        const adtape_schedule_options_t options = {.kind = ADTAPE_SCHEDULE_STORE_ALL, .steps = r->steps};
        must(adtape_schedule_create(&options, &schedule));
    } else {
        must(adtape_driver_create_schedule(driver, r->steps, snapshots * r->state_bytes, &schedule));
    }
    p->f.fastest = 0.0;
    set_initial_fwd(&p->g, &p->f, w, p->tape);
    must(adtape_driver_run(driver, schedule, &done));
    set_initial_bwd(&p->g, &p->f, &p->fb, gradient, p->tape);
    for (int c = 0; c < p->g.controls; c++) {
        gradient[c] += w[c];
    }
    r->seconds = clock_seconds() - start;
    /* Each step is run once with recording; what the schedule runs beyond that is extra. */
    r->extra_steps = done.forward_steps - r->steps;
    r->snapshot_bytes = done.snapshot_bytes;
    adtape_schedule_destroy(schedule);
    must(adtape_driver_destroy(driver));
    return cost_of_run(p, w);
}
