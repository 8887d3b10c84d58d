/* Drivers: a loop with a tape, adjoined by every schedule with the same gradient. */
#include "driver_model.h"

static void every_schedule_gives_the_same_gradient_bit_for_bit(void) {
    const uint64_t lengths[] = {1, 2, 9, 60};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        const uint64_t n = lengths[l];
        double expected[N], found[N];
        adtape_schedule_t *schedule = NULL;
        CHECK_OK(adtape_schedule_create_store_all(n, &schedule));
        gradient(schedule, n, 1, expected);
        CHECK(expected[0] != 0.0 && expected[N - 1] != 0.0);
        for (int which = 0; which < 9; which++) {
            const int disk = which >= 6;
            switch (which) {
            case 0: CHECK_OK(adtape_schedule_create_binomial(n, 1, &schedule)); break;
            case 1: CHECK_OK(adtape_schedule_create_binomial(n, 5, &schedule)); break;
            case 2: CHECK_OK(adtape_schedule_create_online(4, &schedule)); break;
            case 3: CHECK_OK(adtape_schedule_create_mixed(n, 4, &schedule)); break;
            case 4: CHECK_OK(adtape_schedule_create_binomial(4 * n, 3, &schedule)); break;
            case 5: CHECK_OK(adtape_schedule_create_mixed(3 * n, 3, &schedule)); break;
            case 6: CHECK_OK(adtape_schedule_create_multistage(n, 2, 3, &schedule)); break;
            case 7: CHECK_OK(adtape_schedule_create_disk_revolve(n, 2, 2.0, 1.0, &schedule)); break;
            default: CHECK_OK(adtape_schedule_create_two_level(n, 7, 2, &schedule)); break;
            }
            gradient(schedule, n, !disk, found);
            CHECK_SAME(found, expected, sizeof expected);
        }
    }
}

enum { INNER = 6, OUTER = 8 };

static int32_t outer_step(uint64_t k, void *user) {
    struct model *m = (struct model *)user;
    (void)k;
    for (uint64_t i = 0; i < INNER; i++) {
        forward(m, i);
    }
    return ADTAPE_FLOW_CONTINUE;
}

static int outer_is_first;

static int32_t inner_adjoint_step(uint64_t k, int32_t first, void *user) {
    return adjoint_step(k, first && outer_is_first, user);
}

static int32_t outer_adjoint_step(uint64_t k, int32_t first, void *user) {
    struct model *m = (struct model *)user;
    adtape_driver_t *inner = NULL;
    adtape_schedule_t *schedule = NULL;
    (void)k;
    outer_is_first = first;
    CHECK_FAILS(adtape_driver_run(m->driver, NULL), ADTAPE_STATUS_NULL_HANDLE, "schedule handle");
    CHECK_OK(adtape_schedule_create_binomial(INNER, 2, &schedule));
    CHECK_FAILS(adtape_driver_run(m->driver, schedule), ADTAPE_STATUS_BAD_ARGUMENT, "while it runs");
    CHECK_FAILS(adtape_driver_destroy(m->driver), ADTAPE_STATUS_BAD_ARGUMENT, "while it runs");
    CHECK_OK(adtape_driver_create(&inner));
    CHECK_OK(adtape_driver_set_steps(inner, step, inner_adjoint_step, m));
    CHECK_OK(adtape_driver_register(inner, m->x, sizeof m->x));
    CHECK_OK(adtape_driver_run(inner, schedule));
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(inner));
    return ADTAPE_FLOW_CONTINUE;
}

static void drivers_nest(void) {
    double found[2][N];
    for (int i = 0; i < 2; i++) {
        adtape_schedule_t *schedule = NULL;
        start(&model, UINT64_MAX);
        CHECK_OK(adtape_driver_set_steps(model.driver, outer_step, outer_adjoint_step, &model));
        CHECK_OK(adtape_driver_register(model.driver, model.x, sizeof model.x));
        CHECK_OK(adtape_schedule_create_binomial(OUTER, i == 0 ? 1 : OUTER, &schedule));
        CHECK_OK(adtape_driver_run(model.driver, schedule));
        memcpy(found[i], model.adjoint, sizeof found[i]);
        adtape_schedule_destroy(schedule);
        CHECK_OK(adtape_driver_destroy(model.driver));
    }
    CHECK(found[0][0] != 0.0);
    CHECK_SAME(found[0], found[1], sizeof found[0]);
}

static int32_t no_flow(uint64_t k, void *user) {
    (void)k, (void)user;
    return 77;
}

/* Runs a new driver by a binomial schedule, whose failure is `expected` and says `part`. */
static void fails(adtape_status_t expected, const char *part) {
    adtape_schedule_t *schedule = NULL;
    CHECK_OK(adtape_schedule_create_binomial(20, 3, &schedule));
    CHECK_FAILS(adtape_driver_run(model.driver, schedule), expected, part);
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
}

static void failures_are_said(void) {
    adtape_schedule_t *schedule = NULL;
    start(&model, 20);
    fails(ADTAPE_STATUS_NULL_POINTER, "no function for save");
    CHECK_OK(adtape_driver_create(&model.driver));
    CHECK_OK(adtape_driver_register(model.driver, model.x, sizeof model.x));
    fails(ADTAPE_STATUS_NULL_POINTER, "no function for a step");
    start(&model, 20);
    CHECK_OK(adtape_driver_register(model.driver, model.x, sizeof model.x));
    model.stop_at = 5;
    fails(ADTAPE_STATUS_STOPPED, "the step of step 5");
    start(&model, 20);
    CHECK_OK(adtape_driver_register(model.driver, model.x, sizeof model.x));
    CHECK_OK(adtape_driver_set_steps(model.driver, no_flow, adjoint_step, &model));
    fails(ADTAPE_STATUS_BAD_ARGUMENT, "returned 77");
    start(&model, 20);
    CHECK_OK(adtape_driver_register(model.driver, model.x, sizeof model.x));
    CHECK_OK(adtape_schedule_create_two_level(20, 5, 2, &schedule));
    CHECK_FAILS(adtape_driver_run(model.driver, schedule), ADTAPE_STATUS_BAD_ARGUMENT, "stores on disk");
    adtape_schedule_destroy(schedule);
    CHECK_OK(adtape_driver_destroy(model.driver));
    CHECK_FAILS(adtape_driver_create(NULL), ADTAPE_STATUS_NULL_POINTER, "new handle");
    CHECK_FAILS(adtape_driver_run(NULL, NULL), ADTAPE_STATUS_NULL_HANDLE, "driver handle");
    CHECK_OK(adtape_driver_destroy(NULL));
}

/* A counter that the state should have and is not registered. */
static double counter;

static int32_t counting_step(uint64_t k, void *user) {
    model.x[1] += 1e-6 * counter;
    counter += 1.0;
    return step(k, user);
}

static int32_t counting_adjoint_step(uint64_t k, int32_t first, void *user) {
    model.x[1] += 1e-6 * counter;
    counter += 1.0;
    return adjoint_step(k, first, user);
}

/* The gradient was another one, with status OK. */
static void step_that_reads_what_is_not_registered_is_named_in_check_mode(void) {
    const uint64_t snapshots[] = {1, 3, 20};
    const char *first_again[] = {"step 0,", "step 16,", "step 18,"}; /* after the first load */
    for (int i = 0; i < 3; i++) {
        adtape_schedule_t *schedule = NULL;
        start(&model, 20);
        counter = 0.0;
        CHECK_OK(adtape_driver_set_steps(model.driver, counting_step, counting_adjoint_step, &model));
        CHECK_OK(adtape_driver_register(model.driver, model.x, sizeof model.x));
        CHECK_OK(adtape_schedule_create_binomial(20, snapshots[i], &schedule));
        if (getenv("ADTAPE_CHECK") != NULL) {
            CHECK_FAILS(adtape_driver_run(model.driver, schedule), ADTAPE_STATUS_MISMATCH,
                        "run again from the same state, led to another one");
            CHECK_HAS(adtape_error_message(), first_again[i]);
        } else {
            CHECK_OK(adtape_driver_run(model.driver, schedule));
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
