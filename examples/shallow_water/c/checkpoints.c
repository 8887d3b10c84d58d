#include "checkpoints.h"

#include "adjoint.h"
#include "page.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>

/* What the driver's functions get. */
typedef struct loop {
    fourdvar_t *p;
    reversal_t *r;
    double start;
    /* For the page: snapshots, steps, then seconds and bytes of the tape after each step. */
    double *memory;
    int64_t count, room;
} loop_t;

static void must(adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        progress_clear();
        (void)fprintf(stderr, "shallow_water: %s\n", adtape_error_message());
        exit(1);
    }
}

static void note_memory(loop_t *loop, int64_t bytes) {
    if (loop->memory != NULL && loop->count + 2 <= loop->room) {
        loop->memory[loop->count++] = clock_seconds() - loop->start;
        loop->memory[loop->count++] = (double)bytes;
    }
}

/* ---- the time loop: the driver counts steps from 0, the model from 1 ------------------------------------- */

static int32_t step(int64_t k, void *user) {
    loop_t *loop = user;
    run_step(&loop->p->g, &loop->p->f, (int)k + 1, loop->p->observed);
    note_memory(loop, (int64_t)bytes_on_tape(loop->p));
    progress_add(2);
    return ADTAPE_FLOW_CONTINUE;
}

static int32_t record_step(int64_t k, void *user) {
    loop_t *loop = user;
    int64_t bytes;
    run_step_fwd(&loop->p->g, &loop->p->f, (int)k + 1, loop->p->observed, loop->p->tape);
    bytes = (int64_t)bytes_on_tape(loop->p);
    if (bytes > loop->r->tape_bytes) {
        loop->r->tape_bytes = bytes;
    }
    note_memory(loop, bytes);
    progress_add(3);
    return ADTAPE_FLOW_CONTINUE;
}

/* Nothing comes between the loop and the cost but the observations, so the first step is like the others. */
static int32_t reverse_step(int64_t k, bool first, void *user) {
    loop_t *loop = user;
    (void)first;
    cost_of_step_b(loop->p, (int)k + 1);
    run_step_bwd(&loop->p->g, &loop->p->f, &loop->p->fb, (int)k + 1, loop->p->observedb, loop->p->tape);
    note_memory(loop, (int64_t)bytes_on_tape(loop->p));
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
    loop_t loop = {.p = p, .r = r, .start = start};
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
    if (page_path("data") != NULL) {
        loop.room = 2 + 2 * (3 * r->steps + reversal_least_steps(r->steps, snapshots));
        loop.memory = malloc((size_t)loop.room * sizeof(double));
        loop.count = 2;
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
    if (loop.memory != NULL) {
        loop.memory[0] = snapshots;
        loop.memory[1] = (double)r->steps;
        for (int64_t i = 3; i < loop.count; i += 2) {
            loop.memory[i] += (double)done.snapshot_bytes;
        }
        page_numbers("memory", loop.count, loop.memory);
        free(loop.memory);
    }
    adtape_schedule_destroy(schedule);
    must(adtape_driver_destroy(driver));
    return cost_of_run(p, w);
}
