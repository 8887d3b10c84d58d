/* Drivers: a loop with a tape, adjoined by every schedule with the same gradient. */
#include "driver_model.h"

static void every_schedule_gives_the_same_gradient_bit_for_bit(void) {
    const uint64_t lengths[] = {1, 2, 9, 60};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        const int64_t n = (int64_t)lengths[l];
        double expected[N], found[N];
        adtape_schedule_t *schedule = NULL;
        CHECK_OK(make_schedule(ADTAPE_SCHEDULE_STORE_ALL, n, 0, 0, &schedule));
        gradient(schedule, lengths[l], 1, expected);
        CHECK(expected[0] != 0.0 && expected[N - 1] != 0.0);
        for (int which = 0; which < 9; which++) {
            const int disk = which >= 6;
            switch (which) {
            case 0: CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, n, 1, 0, &schedule)); break;
            case 1: CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, n, 5, 0, &schedule)); break;
            case 2: CHECK_OK(make_schedule(ADTAPE_SCHEDULE_ONLINE, 0, 4, 0, &schedule)); break;
            case 3: CHECK_OK(make_schedule(ADTAPE_SCHEDULE_MIXED, n, 4, 0, &schedule)); break;
            case 4: CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 4 * n, 3, 0, &schedule)); break;
            case 5: CHECK_OK(make_schedule(ADTAPE_SCHEDULE_MIXED, 3 * n, 3, 0, &schedule)); break;
            case 6: CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, n, 2, 3, &schedule)); break;
            case 7: CHECK_OK(make_disk_revolve(n, 2, 2.0, 1.0, &schedule)); break;
            default: CHECK_OK(make_two_level(n, 7, 2, &schedule)); break;
            }
            gradient(schedule, lengths[l], !disk, found);
            CHECK_SAME(found, expected, sizeof expected);
        }
    }
}

enum { INNER = 6, OUTER = 8 };

static int32_t outer_step(int64_t k, void *user) {
    struct model *m = (struct model *)user;
    (void)k;
    for (int64_t i = 0; i < INNER; i++) {
        forward(m, i);
    }
    return ADTAPE_FLOW_CONTINUE;
}

static int outer_is_first;

static int32_t inner_adjoint_step(int64_t k, bool first, void *user) {
    return adjoint_step(k, first && outer_is_first, user);
}

static int32_t outer_adjoint_step(int64_t k, bool first, void *user) {
    struct model *m = (struct model *)user;
    static const adtape_driver_calls_t inner_calls = {step, inner_adjoint_step, NULL, NULL, NULL, NULL, NULL, false};
    adtape_driver_t *inner = NULL;
    adtape_schedule_t *schedule = NULL;
    (void)k;
    outer_is_first = first;
    CHECK_FAILS(adtape_driver_run(m->driver, NULL, NULL), ADTAPE_STATUS_NULL_HANDLE, "schedule handle");
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, INNER, 2, 0, &schedule));
    CHECK_FAILS(adtape_driver_run(m->driver, schedule, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "while it runs");
    CHECK_FAILS(adtape_driver_destroy(m->driver), ADTAPE_STATUS_BAD_ARGUMENT, "while it runs");
    CHECK_OK(adtape_driver_create(&inner));
    CHECK_OK(adtape_driver_set_calls(inner, &inner_calls, m));
    register_state(m->x, N, inner);
    CHECK_OK(adtape_driver_run(inner, schedule, NULL));
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(inner));
    return ADTAPE_FLOW_CONTINUE;
}

static void drivers_nest(void) {
    double found[2][N];
    for (int i = 0; i < 2; i++) {
        adtape_schedule_t *schedule = NULL;
        start(&model, UINT64_MAX);
        set_steps(model.driver, outer_step, outer_adjoint_step, &model);
        register_state(model.x, N, model.driver);
        CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, OUTER, i == 0 ? 1 : OUTER, 0, &schedule));
        CHECK_OK(adtape_driver_run(model.driver, schedule, NULL));
        memcpy(found[i], model.adjoint, sizeof found[i]);
        adtape_schedule_destroy(schedule);
        CHECK_OK(adtape_driver_destroy(model.driver));
    }
    CHECK(found[0][0] != 0.0);
    CHECK_SAME(found[0], found[1], sizeof found[0]);
}

static int32_t no_flow(int64_t k, void *user) {
    (void)k, (void)user;
    return 77;
}

/* Runs a new driver by a binomial schedule, whose failure is `expected` and says `part`. */
static void fails(adtape_status_t expected, const char *part) {
    adtape_schedule_t *schedule = NULL;
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 20, 3, 0, &schedule));
    CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), expected, part);
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
}

static void failures_are_said(void) {
    adtape_schedule_t *schedule = NULL;
    start(&model, 20);
    fails(ADTAPE_STATUS_NULL_POINTER, "no function for save");
    CHECK_OK(adtape_driver_create(&model.driver));
    register_state(model.x, N, model.driver);
    fails(ADTAPE_STATUS_NULL_POINTER, "no function for a step");
    start(&model, 20);
    register_state(model.x, N, model.driver);
    model.stop_at = 5;
    fails(ADTAPE_STATUS_STOPPED, "the step of step 5");
    start(&model, 20);
    register_state(model.x, N, model.driver);
    set_steps(model.driver, no_flow, adjoint_step, &model);
    fails(ADTAPE_STATUS_BAD_ARGUMENT, "returned 77");
    start(&model, 20);
    register_state(model.x, N, model.driver);
    CHECK_OK(make_two_level(20, 5, 2, &schedule));
    CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "stores on disk");
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
    CHECK_FAILS(adtape_driver_create(NULL), ADTAPE_STATUS_NULL_POINTER, "new handle");
    CHECK_FAILS(adtape_driver_run(NULL, NULL, NULL), ADTAPE_STATUS_NULL_HANDLE, "driver handle");
    CHECK_OK(adtape_driver_destroy(NULL));
}

/* A counter that the state should have and is not registered. */
static double counter;

static int32_t counting_step(int64_t k, void *user) {
    model.x[1] += 1e-6 * counter;
    counter += 1.0;
    return step(k, user);
}

static int32_t counting_adjoint_step(int64_t k, bool first, void *user) {
    model.x[1] += 1e-6 * counter;
    counter += 1.0;
    return adjoint_step(k, first, user);
}

/* The gradient was another one, with status OK. */
static void step_that_reads_what_is_not_registered_is_named_in_check_mode(void) {
    const int64_t snapshots[] = {1, 3, 20};
    const char *first_again[] = {"step 0,", "step 16,", "step 18,"}; /* after the first load */
    for (int i = 0; i < 3; i++) {
        adtape_schedule_t *schedule = NULL;
        start(&model, 20);
        counter = 0.0;
        set_steps(model.driver, counting_step, counting_adjoint_step, &model);
        register_state(model.x, N, model.driver);
        CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 20, snapshots[i], 0, &schedule));
        if (getenv("ADTAPE_CHECK") != NULL) {
            CHECK_FAILS(adtape_driver_run(model.driver, schedule, NULL), ADTAPE_STATUS_MISMATCH,
                        "run again from the same state, led to another one");
            CHECK_HAS(adtape_error_message(), first_again[i]);
        } else {
            CHECK_OK(adtape_driver_run(model.driver, schedule, NULL));
        }
        adtape_schedule_destroy(schedule);
        CHECK_OK(adtape_driver_destroy(model.driver));
    }
}

int main(void) {
    every_schedule_gives_the_same_gradient_bit_for_bit();
    drivers_nest();
    failures_are_said();
    step_that_reads_what_is_not_registered_is_named_in_check_mode();
    return 0;
}
