/* by_driver.c: the cost and its gradient with a few checkpoints, by one schedule on all ranks. Killed on whatever rank
 * and started again, with a directory, it goes on. */
#include "problem.h"

#include "adjoint.h"

#include <adtape_mpi_run.h>
#include <stdio.h>
#include <stdlib.h>

static void must(adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        (void)fprintf(stderr, "shallow_water_mpi: %s\n", adtape_error_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* ---- the time loop: the driver counts steps from 0, the model from 1 -------------------------------------- */

static int32_t step(int64_t k, void *user) {
    problem_t *p = user;
    run_step(&p->g, &p->f, (int)k + 1, p->observed);
    return ADTAPE_FLOW_CONTINUE;
}

/* Behind the loop's last step comes the cost. */
static int32_t adjoint_step(int64_t k, bool first, void *user) {
    problem_t *p = user;
    run_step_fwd(&p->g, &p->f, (int)k + 1, p->observed, adtape_self());
    if (first) {
        cost_of_run(p);
        cost_of_run_b(p);
    }
    cost_of_step_b(p, (int)k + 1);
    run_step_bwd(&p->g, &p->f, &p->fb, (int)k + 1, p->observedb, adtape_self());
    return ADTAPE_FLOW_CONTINUE;
}

/* ---- the gradient --------------------------------------------------------------------------------------------- */

/* All of what one step hands to the next, and all that adjoint steps compute. */
static void register_variables(problem_t *p, adtape_driver_t *driver) {
    const int64_t cells = p->g.cells, observed = p->g.observed, one = 1;
    double *const state[3] = {p->f.h, p->f.m, p->f.n}, *const adjoint[3] = {p->fb.h, p->fb.m, p->fb.n};
    for (int i = 0; i < 3; i++) {
        must(adtape_driver_register(driver, ADTAPE_ROLE_STATE, NULL, ADTAPE_TYPE_F64, state[i], 1, &cells, NULL));
        must(adtape_driver_register(driver, ADTAPE_ROLE_ADJOINT, NULL, ADTAPE_TYPE_F64, adjoint[i], 1, &cells, NULL));
    }
    must(adtape_driver_register(driver, ADTAPE_ROLE_ADJOINT, "observed", ADTAPE_TYPE_F64, p->observed, 1, &observed,
                                NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_ADJOINT, "cost", ADTAPE_TYPE_F64, &p->cost, 1, &one, NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_ADJOINT, "seed", ADTAPE_TYPE_F64, &p->cost_of_partb, 1, &one, NULL));
}

double cost_and_gradient_by_driver(problem_t *p, int checkpoints, const char *directory, double *gradient,
                                   adtape_progress_t *done) {
    const adtape_driver_calls_t calls = {.step = step, .adjoint_step = adjoint_step, .show_progress = directory != NULL};
    adtape_driver_t *driver;
    adtape_mpi_driver_t *all;
    adtape_schedule_t *schedule;
    adtape_store_t *files = NULL;
    must(adtape_driver_create(&driver));
    register_variables(p, driver);
    must(adtape_mpi_driver_create(p->d.comm, driver, &calls, p, &all));
    if (directory == NULL) {
        must(adtape_mpi_driver_create_schedule(all, p->g.steps, checkpoints * 3 * p->g.cells * (int64_t)sizeof(double),
                                               &schedule));
    } else {
        const adtape_schedule_options_t options = {
            .kind = ADTAPE_SCHEDULE_BINOMIAL, .steps = p->g.steps, .disk_snapshots = checkpoints};
        must(adtape_schedule_create(&options, &schedule));
        must(adtape_mpi_store_create_files(p->d.comm, directory, "shallow_water", 0, &files));
        must(adtape_mpi_driver_set_store(all, files, "point", 0.0)); /* a point behind each step */
    }
    set_initial_fwd(&p->g, &p->f, p->w, adtape_self());
    must(adtape_mpi_driver_run(all, schedule, done));
    set_initial_bwd(&p->g, &p->f, &p->fb, gradient, adtape_self());
    for (int c = 0; c < p->g.controls; c++) {
        gradient[c] += p->cost_of_partb * p->w[c];
    }
    must(adtape_schedule_destroy(schedule));
    must(adtape_mpi_driver_destroy(all)); /* and with it the point */
    must(adtape_driver_destroy(driver));
    must(adtape_store_destroy(files));
    return p->cost;
}
