/* driver.c: one schedule on all ranks; what fails on one; statistics; the memory of a machine.
 *
 *   driver DIRECTORY
 *
 * The model is a ring: x <- x + 0.1 (x of the rank on the left)², on all ranks. */
#include "check.h"

#include <adtape_mpi_run.h>
#include <math.h>

enum { STEPS = 24, WIDE = 3 };
static double x[WIDE], xb[WIDE], came[1], cameb[1];
static int64_t stop_at = -1, end_at = -1, calls;
static int who;

static void start(void) {
    for (int i = 0; i < WIDE; i++) {
        x[i] = 0.3 + 0.1 * me + 0.01 * i;
        xb[i] = 0;
    }
    calls = 0;
}

static int left(void) { return (me + ranks - 1) % ranks; }
static int right(void) { return (me + 1) % ranks; }

static int32_t flow_of(int64_t step) {
    calls++;
    if (me != who || (step != stop_at && step != end_at)) {
        return ADTAPE_FLOW_CONTINUE;
    }
    return step == stop_at ? ADTAPE_FLOW_STOP : ADTAPE_FLOW_ENDED;
}

static int32_t step(int64_t k, void *user) {
    (void)user;
    MPI_Sendrecv(&x[0], 1, MPI_DOUBLE, right(), 0, came, 1, MPI_DOUBLE, left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    x[0] += 0.1 * came[0] * came[0];
    x[1] += x[0] * x[2];
    return flow_of(k);
}

static int32_t adjoint_step(int64_t k, bool first, void *user) {
    (void)user;
    adtape_push_array_f64(adtape_self(), x, WIDE);
    adtape_MPI_Sendrecv(&x[0], 1, MPI_DOUBLE, right(), 0, came, 1, MPI_DOUBLE, left(), 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
    adtape_push_f64(adtape_self(), came[0]);
    x[0] += 0.1 * came[0] * came[0];
    if (first) {
        xb[1] = 1;
    }
    adtape_pop_f64(adtape_self(), came);
    xb[0] += x[2] * xb[1];
    xb[2] += x[0] * xb[1];
    cameb[0] = 0.2 * came[0] * xb[0];
    adtape_MPI_Sendrecv_b();
    adtape_pop_array_f64(adtape_self(), x, WIDE);
    return flow_of(k) == ADTAPE_FLOW_STOP ? ADTAPE_FLOW_STOP : ADTAPE_FLOW_CONTINUE;
}

static void must(adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        fprintf(stderr, "check failed: rank %d: %s\n", me, adtape_error_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static bool says(const char *text) {
    if (strstr(adtape_error_message(), text) == NULL) {
        fprintf(stderr, "not `%s`, but: %s\n", text, adtape_error_message());
        return false;
    }
    return true;
}

static adtape_driver_t *driver;
static adtape_mpi_driver_t *all;
static double rate = 1.5; /* a parameter */

static void create(int64_t words) {
    const adtape_driver_calls_t functions = {.step = step, .adjoint_step = adjoint_step};
    must(adtape_driver_create(&driver));
    must(adtape_driver_register(driver, ADTAPE_ROLE_STATE, "x", ADTAPE_TYPE_F64, x, 1, &words, NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_ADJOINT, "xb", ADTAPE_TYPE_F64, xb, 1, &words, NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_PARAMETER, "rate", ADTAPE_TYPE_F64, &rate, 0, NULL, NULL));
    must(adtape_mpi_driver_create(MPI_COMM_WORLD, driver, &functions, NULL, &all));
}

static void destroy(void) {
    must(adtape_mpi_driver_destroy(all));
    must(adtape_driver_destroy(driver));
}

/* The gradient with all steps on the tape of one run after the other: by a schedule of one snapshot for each step. */
static void gradient(int64_t snapshots, double out[WIDE], adtape_progress_t *done) {
    adtape_schedule_t *schedule;
    start();
    create(WIDE);
    must(adtape_mpi_driver_create_schedule(all, STEPS, snapshots * (int64_t)sizeof x, &schedule));
    must(adtape_mpi_driver_run(all, schedule, done));
    memcpy(out, xb, sizeof xb);
    must(adtape_schedule_destroy(schedule));
    destroy();
    check_tape_is_empty();
}

static adtape_status_t run_binomial(int64_t steps, int64_t snapshots) {
    const adtape_schedule_options_t options = {
        .kind = ADTAPE_SCHEDULE_BINOMIAL, .steps = steps, .memory_snapshots = snapshots};
    adtape_schedule_t *schedule;
    must(adtape_schedule_create(&options, &schedule));
    const adtape_status_t status = adtape_mpi_driver_run(all, schedule, NULL);
    must(adtape_schedule_destroy(schedule));
    return status;
}

static void check_schedules(void) {
    adtape_progress_t done, fewer;
    double expected[WIDE], found[WIDE];
    gradient(STEPS, expected, &done);
    CHECK(done.reversed_steps == STEPS);
    /* The least of all ranks' budgets counts. */
    gradient(me == 0 ? 3 : 20, found, &fewer);
    CHECK(memcmp(expected, found, sizeof found) == 0);
    CHECK(fewer.forward_steps > done.forward_steps);
    const adtape_schedule_options_t options = {
        .kind = ADTAPE_SCHEDULE_BINOMIAL, .steps = STEPS, .memory_snapshots = 3};
    adtape_schedule_t *schedule;
    adtape_prediction_t prediction;
    must(adtape_schedule_create(&options, &schedule));
    must(adtape_schedule_predict(schedule, &prediction));
    CHECK(fewer.forward_steps == STEPS + prediction.extra_steps);
    must(adtape_schedule_destroy(schedule));
    /* Beside a difference quotient. */
    double quotient = 0, mine = 0, slope;
    for (int sign = -1; sign <= 1; sign += 2) {
        double sum;
        start();
        x[0] += sign * 1e-6 * (me + 1);
        for (int64_t k = 0; k < STEPS; k++) {
            step(k, NULL);
        }
        MPI_Allreduce(&x[1], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        quotient += sign * sum / 2e-6;
    }
    mine = expected[0] * (me + 1);
    MPI_Allreduce(&mine, &slope, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(fabs(slope / quotient - 1) < 1e-6);
}

static void check_failures(void) {
    char text[100];
    adtape_schedule_t *schedule;
    who = ranks - 1;
    create(WIDE);
    for (int64_t at = 0; at < 10; at += 9) {
        start();
        stop_at = at;
        CHECK(run_binomial(10, 3) == ADTAPE_STATUS_STOPPED);
        snprintf(text, sizeof text, "rank %d of %d: its run failed: the program stopped the run in the %s of step %d",
                 who, ranks, at == 9 ? "adjoint step" : "step", (int)at);
        CHECK(says(at == 9 ? "its run failed: the program stopped the run in the adjoint step of step 9" : text));
        stop_at = -1;
    }
    if (ranks > 1) {
        start();
        CHECK(run_binomial(10, me == who ? 2 : 3) == ADTAPE_STATUS_MISMATCH && says("have different schedules"));
        start();
        end_at = 5;
        CHECK(run_binomial(10, 3) == ADTAPE_STATUS_MISMATCH && says("end their loops at one step"));
        end_at = -1;
    }
    CHECK(adtape_mpi_driver_run(NULL, NULL, NULL) == ADTAPE_STATUS_NULL_HANDLE);
    CHECK(adtape_mpi_driver_create_schedule(all, STEPS, me == who ? 8 : 1000, &schedule) == ADTAPE_STATUS_BAD_ARGUMENT);
    snprintf(text, sizeof text, "rank %d of %d: a schedule: ", who, ranks);
    CHECK(says(text) && schedule == NULL);
    if (ranks > 1) {
        CHECK(adtape_mpi_driver_create_schedule(all, me == who ? 3 : 4, 1000, &schedule) == ADTAPE_STATUS_MISMATCH);
    }
    CHECK(adtape_mpi_driver_set_store(all, NULL, "p", 0) == ADTAPE_STATUS_NULL_HANDLE);
    /* What all ranks do alike is as it was. */
    start();
    must(run_binomial(STEPS, 4));
    destroy();
}

/* A run that ends with an error goes on from its last point, on all ranks; a rank with another state or parameter does
 * not. */
static void check_points(const char *directory) {
    adtape_store_t *store;
    adtape_mpi_driver_t *none = NULL;
    double expected[WIDE];
    gradient(4, expected, NULL);
    const int64_t whole = calls;
    must(adtape_mpi_store_create_files(MPI_COMM_WORLD, directory, "run", ADTAPE_STORE_NO_SYNC, &store));
    for (int64_t at = 0; at < STEPS; at += 5) {
        create(WIDE);
        must(adtape_mpi_driver_set_store(all, store, "point", 0.0));
        start();
        stop_at = at;
        CHECK(run_binomial(STEPS, 4) == ADTAPE_STATUS_STOPPED);
        stop_at = -1;
        if (ranks > 1 && at > 0) {
            start();
            x[2] += me == who;
            CHECK(run_binomial(STEPS, 4) == ADTAPE_STATUS_MISMATCH && says("its initial state was another one"));
            start();
            rate += me == who;
            CHECK(run_binomial(STEPS, 4) == ADTAPE_STATUS_MISMATCH && says("\"rate\" was 1.5 and is 2.5 now"));
            rate = 1.5;
        }
        destroy();
    }
    create(WIDE);
    must(adtape_mpi_driver_set_store(all, store, "point", 0.0));
    start();
    must(run_binomial(STEPS, 4));
    CHECK(memcmp(expected, xb, sizeof xb) == 0 && calls < whole);
    /* It has come to its end: another start finds the result, as long as the driver is not destroyed. */
    adtape_mpi_driver_t *ended = all;
    adtape_driver_t *its = driver;
    create(WIDE);
    must(adtape_mpi_driver_set_store(all, store, "point", 0.0));
    start();
    must(run_binomial(STEPS, 4));
    CHECK(memcmp(expected, xb, sizeof xb) == 0 && calls == 0);
    destroy();
    all = ended, driver = its;
    destroy();
    int64_t count = 1;
    must(adtape_store_list(store, 0, &count, NULL));
    CHECK(count == 0);
    must(adtape_store_destroy(store));
    CHECK(adtape_mpi_driver_create(MPI_COMM_WORLD, NULL, NULL, NULL, &none) == ADTAPE_STATUS_NULL_HANDLE);
    must(adtape_mpi_driver_destroy(none));
}

static void check_figures(void) {
    const double figures[2] = {me == 0 ? 5 : 1, (double)me};
    adtape_mpi_statistic_t s[2];
    int64_t part = 0;
    adtape_memory_t memory;
    adtape_mpi_statistics(MPI_COMM_WORLD, 2, figures, s);
    CHECK(s[0].most == 5 && s[0].most_rank == 0 && s[0].least_rank == (ranks > 1) && s[1].least == 0);
    CHECK(s[1].most == ranks - 1 && s[1].most_rank == ranks - 1 && fabs(s[1].mean - (ranks - 1) / 2.0) < 1e-14);
    must(adtape_mpi_share_memory_limit(MPI_COMM_WORLD, INT64_C(600) << 20, &part));
    CHECK(part == (INT64_C(600) << 20) / ranks);
    must(adtape_process_memory(&memory));
    CHECK(memory.limit_bytes == part);
    must(adtape_mpi_share_memory_limit(MPI_COMM_WORLD, 0, &part));
    must(adtape_process_memory(&memory));
    CHECK(memory.limit_bytes == part && part > 0);
    CHECK(adtape_mpi_share_memory_limit(MPI_COMM_WORLD, me == ranks - 1 ? -1 : 8, NULL) == ADTAPE_STATUS_COUNT_RANGE);
    must(adtape_process_memory(&memory));
    CHECK(memory.limit_bytes == part);
    adtape_mpi_print_statistics(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    CHECK(argc == 2);
    active(x, xb, sizeof x, "x");
    active(came, cameb, sizeof came, "came");
    check_schedules();
    check_failures();
    check_points(argv[1]);
    check_figures();
    if (me == 0) {
        printf("all right\n");
    }
    adtape_MPI_Finalize();
    return 0;
}
