/* Variables of a driver: saved by themselves, in memory and in stores, and kept for a run that is resumed. */
#include "driver_model.h"

static void registered_state_goes_to_a_store_where_the_schedule_says_disk(void) {
    double expected[N], found[N];
    adtape_schedule_t *schedule = NULL;
    adtape_store_t *store = NULL;
    const char *name = NULL;
    int64_t left = -1;
    adtape_progress_t done;
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_STORE_ALL, 60, 0, 0, &schedule));
    gradient(schedule, 60, 1, expected);
    CHECK_OK(adtape_store_create_memory(0, NULL, &store));
    start(&model, 60);
    register_state(model.x, N, model.driver);
    CHECK_OK(adtape_driver_set_store(model.driver, store, NULL, 0.0));
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 60, 2, 3, &schedule));
    CHECK_OK(adtape_driver_run(model.driver, schedule, &done));
    memcpy(found, model.adjoint, sizeof found);
    CHECK_SAME(found, expected, sizeof expected);
    CHECK_I64((int64_t)done.snapshot_bytes, 2 * (int64_t)sizeof model.x); /* two in memory, three in the store */
    CHECK(done.steps == 60 && done.reversed_steps == 60);
    CHECK_OK(adtape_store_list(store, 0, &left, &name));
    CHECK_I64(left, 0);
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_set_store(model.driver, NULL, NULL, 0.0));
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 60, 2, 3, &schedule));
    CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "stores on disk");
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_store_destroy(store));
    CHECK_OK(adtape_driver_destroy(model.driver));
}

static void budget_in_bytes_gives_as_many_snapshots_as_fit(void) {
    adtape_schedule_t *schedule = NULL;
    adtape_prediction_t predicted;
    start(&model, 100);
    CHECK_FAILS(adtape_driver_create_schedule(model.driver, 100, 1000, &schedule), ADTAPE_STATUS_BAD_ARGUMENT,
                "register the state first");
    register_state(model.x, N, model.driver);
    CHECK_FAILS(adtape_driver_create_schedule(model.driver, 100, sizeof model.x - 1, &schedule),
                ADTAPE_STATUS_BAD_ARGUMENT, "32 bytes, fits into 31 bytes");
    CHECK(schedule == NULL);
    CHECK_OK(adtape_driver_create_schedule(model.driver, 10, 4 * sizeof model.x - 1, &schedule));
    CHECK_OK(adtape_schedule_predict(schedule, &predicted));
    CHECK_U64(predicted.extra_steps, 15); /* of 10 steps with 3 snapshots */
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_create_schedule(model.driver, 0, 5 * sizeof model.x, &schedule));
    CHECK_OK(adtape_driver_run(model.driver, schedule, NULL));
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
}

/* ---- runs that are resumed ------------------------------------------------------------------------------------ */

/* The state every second number of an array, the adjoint in two parts, by name. */
static double apart[2 * N];
static double rate = 1.5; /* a parameter */
static int64_t stop_after; /* calls of functions until the run is stopped; -1: it is not */

static int32_t stopping(int32_t flow) { return stop_after > 0 && --stop_after == 0 ? ADTAPE_FLOW_STOP : flow; }

static int32_t apart_step(int64_t k, void *user) {
    int32_t flow;
    for (int i = 0; i < N; i++) {
        model.x[i] = apart[2 * i];
    }
    flow = step(k, user);
    for (int i = 0; i < N; i++) {
        apart[2 * i] = model.x[i];
    }
    return stopping(flow);
}

static int32_t apart_adjoint_step(int64_t k, bool first, void *user) {
    for (int i = 0; i < N; i++) {
        model.x[i] = apart[2 * i];
    }
    adjoint_step(k, first, user);
    for (int i = 0; i < N; i++) {
        apart[2 * i] = NAN; /* there is no state after a turn */
    }
    return stopping(ADTAPE_FLOW_CONTINUE);
}

static void register_apart(const char *name, int64_t count) {
    const int64_t extents[] = {count}, strides[] = {2 * sizeof(double)};
    CHECK_OK(adtape_driver_register(model.driver, ADTAPE_ROLE_STATE, name, ADTAPE_TYPE_F64, apart, 1, extents,
        strides));
}

/* A new process: all but the store is made anew. */
static void start_again(adtape_store_t *store, uint64_t ends, int64_t stop) {
    start(&model, ends);
    stop_after = stop;
    memset(apart, 0, sizeof apart);
    for (int i = 0; i < N; i++) {
        apart[2 * i] = model.x[i];
    }
    set_steps(model.driver, apart_step, apart_adjoint_step, &model);
    register_apart("x", N);
    CHECK_OK(register_as(model.driver, ADTAPE_ROLE_ADJOINT, model.adjoint, 2));
    CHECK_OK(register_as(model.driver, ADTAPE_ROLE_ADJOINT, model.adjoint + 2, N - 2));
    CHECK_OK(register_as(model.driver, ADTAPE_ROLE_PARAMETER, &rate, 1));
    CHECK_OK(adtape_driver_set_store(model.driver, store, "run", 0.0));
}

static adtape_schedule_t *schedule_of(int which, int64_t n) {
    adtape_schedule_t *schedule = NULL;
    switch (which) {
    case 0: CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, n, 3, 0, &schedule)); break;
    case 1: CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 2 * n, 1, 2, &schedule)); break;
    case 2: CHECK_OK(make_schedule(ADTAPE_SCHEDULE_ONLINE, 0, 4, 0, &schedule)); break;
    default: CHECK_OK(make_two_level(n, 5, 2, &schedule)); break;
    }
    return schedule;
}

static int64_t checkpoints_in(const adtape_store_t *store) {
    int64_t count = -1;
    CHECK_OK(adtape_store_list(store, 0, &count, NULL));
    return count;
}

static void run_that_is_stopped_anywhere_goes_on_to_the_same_gradient(void) {
    enum { STEPS = 23 };
    double expected[N];
    adtape_store_t *store = NULL;
    adtape_schedule_t *schedule = NULL;
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_STORE_ALL, STEPS, 0, 0, &schedule));
    gradient(schedule, STEPS, 1, expected);
    CHECK_OK(adtape_store_create_memory(0, NULL, &store));
    for (int which = 0; which < 4; which++) {
        for (int every = 1; every < 100; every += 7) {
            adtape_status_t status;
            int stops = 0;
            do {
                /* One call more each time, so that a run that is stopped before its first point gets on. */
                start_again(store, STEPS, every + stops);
                schedule = schedule_of(which, STEPS);
                status = adtape_driver_run(model.driver, schedule, NULL);
                adtape_schedule_destroy(schedule);
                if (status != ADTAPE_STATUS_OK) {
                    CHECK(status == ADTAPE_STATUS_STOPPED);
                    CHECK_OK(adtape_driver_destroy(model.driver));
                    stops++;
                }
            } while (status != ADTAPE_STATUS_OK && stops < 300);
            CHECK_SAME(model.adjoint, expected, sizeof expected);
            CHECK(apart[1] == 0.0 && apart[2 * N - 1] == 0.0);
            CHECK_I64(checkpoints_in(store), 1);
            CHECK_OK(adtape_driver_destroy(model.driver));
            CHECK_I64(checkpoints_in(store), 0);
        }
    }
    CHECK_OK(adtape_store_destroy(store));
}

/* It was left in the checkpoint, and the gradient was another one, with status OK. */
static void variable_that_is_registered_no_more_when_a_run_resumes_is_named(void) {
    for (int which = 0; which < 2; which++) {
        adtape_store_t *store = NULL;
        adtape_schedule_t *schedule = schedule_of(which, 23);
        CHECK_OK(adtape_store_create_memory(0, NULL, &store));
        start_again(store, 23, 40);
        CHECK_STATUS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_STOPPED);
        adtape_schedule_destroy(schedule);
        CHECK_OK(adtape_driver_destroy(model.driver));
        start(&model, 23);
        stop_after = -1;
        for (int i = 0; i < N; i++) {
            apart[2 * i] = model.x[i];
        }
        set_steps(model.driver, apart_step, apart_adjoint_step, &model);
        register_apart("x", N);
        CHECK_OK(register_as(model.driver, ADTAPE_ROLE_ADJOINT, model.adjoint, 2));
        CHECK_OK(register_as(model.driver, ADTAPE_ROLE_PARAMETER, &rate, 1));
        CHECK_OK(adtape_driver_set_store(model.driver, store, "run", 0.0));
        schedule = schedule_of(which, 23);
        CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_MISMATCH, "\"adjoint-1\"");
        CHECK_HAS(adtape_error_message(), "that nothing reads");
        adtape_schedule_destroy(schedule);
        CHECK_OK(adtape_driver_destroy(model.driver));
        CHECK_OK(adtape_store_destroy(store));
    }
}

static void point_has_named_and_typed_sections_and_is_refused_where_they_differ(void) {
    adtape_store_t *store = NULL;
    adtape_checkpoint_t *checkpoint = NULL;
    adtape_schedule_t *schedule = NULL;
    adtape_section_t section;
    adtape_progress_t done;
    CHECK_OK(adtape_store_create_memory(0, NULL, &store));
    start_again(store, 30, 45);
    schedule = schedule_of(0, 30);
    CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_STOPPED, "stopped the run");
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
    CHECK_OK(adtape_checkpoint_open(store, "run", &checkpoint));
    CHECK_OK(adtape_checkpoint_find(checkpoint, "x"));
    CHECK_OK(adtape_checkpoint_next(checkpoint, 0, &section));
    CHECK(section.type_code == ADTAPE_TYPE_F64 && section.count == N && section.rank == 1);
    CHECK_OK(adtape_checkpoint_find(checkpoint, "adjoint-1"));
    CHECK_OK(adtape_checkpoint_close(checkpoint));

    /* Another parameter, another number of steps, another state, another initial state. */
    rate = 2.5;
    start_again(store, 30, -1);
    schedule = schedule_of(0, 30);
    CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_MISMATCH,
                "parameter \"parameter-0\" was 1.5 and is 2.5 now");
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
    rate = 1.5;
    start_again(store, 31, -1);
    schedule = schedule_of(0, 31);
    CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_MISMATCH,
                "binomial, 30 steps, 3 snapshots; this one is binomial, 31 steps, 3 snapshots");
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
    start_again(store, 30, -1);
    apart[2] += 1e-9;
    schedule = schedule_of(0, 30);
    CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_MISMATCH,
        "initial state was another one");
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
    start_again(store, 30, -1);
    CHECK_OK(adtape_driver_register(model.driver, ADTAPE_ROLE_ADJOINT, NULL, ADTAPE_TYPE_BYTES, &model.told, 1,
                                    &(int64_t){sizeof model.told}, NULL));
    schedule = schedule_of(0, 30);
    CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_MISMATCH,
                "\"adjoint-2\", 8 values of bytes");
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
    CHECK_I64(checkpoints_in(store), 1); /* it is as it was */
    start_again(store, 30, -1);
    schedule = schedule_of(0, 30);
    CHECK_OK(adtape_driver_run(model.driver, schedule, &done));
    CHECK(done.resumed_steps > 0 && done.forward_steps == done.forward_steps_total);
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));

    start_again(store, 30, -1);
    set_snapshots();
    schedule = schedule_of(0, 30);
    CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "cannot be resumed");
    set_steps(model.driver, apart_step, apart_adjoint_step, &model);
    CHECK_OK(adtape_driver_set_store(model.driver, NULL, NULL, 0.0));
    CHECK_OK(adtape_driver_run(model.driver, schedule, NULL));
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
    CHECK_I64(checkpoints_in(store), 0);
    CHECK_OK(adtape_store_destroy(store));
}

/* ---- variables that move -------------------------------------------------------------------------------------- */

static double *here, *there;
static int swaps; /* of the two buffers in each step */

static int32_t swapping_step(int64_t k, void *user) {
    (void)k, (void)user;
    for (int i = 0; i < swaps; i++) {
        double *const swapped = here;
        here = there;
        there = swapped;
    }
    return ADTAPE_FLOW_CONTINUE;
}
static int32_t swapping_adjoint_step(int64_t k, bool first, void *user) {
    (void)first;
    return swapping_step(k, user);
}

/* Snapshots were those of the other buffer. */
static void registered_variable_that_moves_is_named(void) {
    const adtape_driver_calls_t calls = {.step = swapping_step, .adjoint_step = swapping_adjoint_step};
    for (swaps = 0; swaps < 4; swaps++) {
        for (int which = 0; which < 3; which++) { /* snapshots, points, or both */
            double x[2] = {1, 2}, y[2] = {0};
            adtape_store_t *store = NULL;
            adtape_schedule_t *schedule = schedule_of(which == 1 ? 3 : 0, 12);
            adtape_driver_t *d;
            here = x, there = y;
            CHECK_OK(adtape_store_create_memory(0, NULL, &store));
            CHECK_OK(adtape_driver_create(&d));
            CHECK_OK(adtape_driver_set_calls(d, &calls, NULL));
#define BY_POINTER_(p) \
    adtape_driver_register(d, ADTAPE_ROLE_STATE | ADTAPE_ROLE_POINTER, "x", ADTAPE_TYPE_F64, p, 1, &(int64_t){2}, NULL)
            CHECK_FAILS(BY_POINTER_(NULL), ADTAPE_STATUS_NULL_POINTER, "the pointer variable");
            CHECK_OK(BY_POINTER_(&here));
            CHECK_OK(adtape_driver_set_store(d, store, which > 0 ? "run" : NULL, 0.0));
            if (swaps % 2 == 0) {
                CHECK_OK(adtape_driver_run(d, schedule, NULL));
            } else {
                CHECK_FAILS(adtape_driver_run(d, schedule, NULL), ADTAPE_STATUS_MISMATCH, "\"x\" has moved");
            }
            adtape_schedule_destroy(schedule);
            CHECK_OK(adtape_driver_destroy(d));
            CHECK_OK(adtape_store_destroy(store));
        }
    }
}

static void registrations_and_points_that_make_no_sense_are_refused(void) {
    const int64_t extents[] = {2, 3}, strides[] = {8, 16}, apart_by[] = {16, 32};
    adtape_store_t *store = NULL;
    adtape_driver_t *d;
    double x[12];
    CHECK_OK(adtape_store_create_memory(0, NULL, &store));
    CHECK_OK(adtape_driver_create(&d));
#define REGISTER_(role, name, x, strides) \
    adtape_driver_register(d, role, name, ADTAPE_TYPE_F64, x, 2, extents, strides)
    CHECK_OK(REGISTER_(ADTAPE_ROLE_STATE, "x", x, strides));
    CHECK_FAILS(REGISTER_(ADTAPE_ROLE_ADJOINT, "y", x + 5, strides), ADTAPE_STATUS_BAD_ARGUMENT, "overlaps");
    CHECK_FAILS(REGISTER_(ADTAPE_ROLE_ADJOINT, "x", x + 6, strides), ADTAPE_STATUS_BAD_ARGUMENT, "registered already");
    CHECK_FAILS(REGISTER_(ADTAPE_ROLE_PARAMETER, "y", x + 5, strides), ADTAPE_STATUS_BAD_ARGUMENT, "overlaps");
    CHECK_FAILS(REGISTER_(3, "y", x + 6, strides), ADTAPE_STATUS_BAD_ARGUMENT, "3 is no role");
    CHECK_FAILS(REGISTER_(ADTAPE_ROLE_STATE, "", x + 6, strides), ADTAPE_STATUS_BAD_ARGUMENT, "1 to 1000");
    CHECK_FAILS(REGISTER_(ADTAPE_ROLE_STATE, "y", NULL, strides), ADTAPE_STATUS_NULL_POINTER, "NULL");
    CHECK_OK(REGISTER_(ADTAPE_ROLE_STATE, NULL, x, apart_by)); /* with gaps: the program knows */
    CHECK_FAILS(adtape_driver_register(d, 0, "z", 77, x, 0, NULL, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "77");
    CHECK_OK(register_as(d, ADTAPE_ROLE_STATE, NULL, 0));
    CHECK_FAILS(register_as(d, ADTAPE_ROLE_STATE, NULL, 1), ADTAPE_STATUS_NULL_POINTER, "values of a section");
    CHECK_FAILS(register_as(d, ADTAPE_ROLE_STATE, x + 1, 1), ADTAPE_STATUS_BAD_ARGUMENT, "overlaps");
    CHECK_FAILS(register_as(d, ADTAPE_ROLE_STATE, x, INT64_MAX), ADTAPE_STATUS_COUNT_RANGE, "address space");
    CHECK_FAILS(adtape_driver_set_calls(d, NULL, NULL), ADTAPE_STATUS_NULL_POINTER, "functions of a driver");
    CHECK_FAILS(adtape_driver_set_store(d, store, "a/b", 0.0), ADTAPE_STATUS_BAD_ARGUMENT, "a/b");
    CHECK_FAILS(adtape_driver_set_store(d, store, "a", -1.0), ADTAPE_STATUS_BAD_ARGUMENT, "-1 seconds");
    CHECK_FAILS(adtape_driver_set_store(d, store, "a", NAN), ADTAPE_STATUS_BAD_ARGUMENT, "NaN seconds");
    CHECK_FAILS(adtape_driver_set_store(NULL, store, "a", 0.0), ADTAPE_STATUS_NULL_HANDLE, "driver handle");
    CHECK_OK(adtape_driver_destroy(d));
    CHECK_OK(adtape_store_destroy(store));
}

int main(void) {
    registered_state_goes_to_a_store_where_the_schedule_says_disk();
    budget_in_bytes_gives_as_many_snapshots_as_fit();
    run_that_is_stopped_anywhere_goes_on_to_the_same_gradient();
    variable_that_is_registered_no_more_when_a_run_resumes_is_named();
    point_has_named_and_typed_sections_and_is_refused_where_they_differ();
    registered_variable_that_moves_is_named();
    registrations_and_points_that_make_no_sense_are_refused();
    return 0;
}
