/* Schedules: performed on a pretended loop, action by action. */
#include "schedules.h"

enum { MOST_SLOTS = 64, EMPTY = -1 };

/* What is stored where, and how far the loop is. Steps are counted from 0; tapes are marked by their step + 2^32. */
struct loop {
    uint64_t steps;
    int64_t stored[2][MOST_SLOTS];
    int64_t present;
    uint64_t reversed, extra, saves, loads;
};

static const int64_t TAPE = INT64_C(1) << 32;

static struct loop new_loop(uint64_t steps) {
    struct loop loop = {.steps = steps, .reversed = 0};
    for (int level = 0; level < 2; level++) {
        for (int slot = 0; slot < MOST_SLOTS; slot++) {
            loop.stored[level][slot] = EMPTY;
        }
    }
    return loop;
}

static void reverse(struct loop *loop, const adtape_instruction_t *what) {
    CHECK_U64(what->step + 1, loop->steps - loop->reversed);
    CHECK_U64(what->first, loop->reversed == 0);
    loop->reversed++;
    loop->present = EMPTY;
}

/* Returns whether there was something to do. */
static int perform(struct loop *loop, adtape_schedule_t *schedule) {
    adtape_instruction_t what;
    int64_t *slot;
    CHECK_OK(adtape_schedule_next(schedule, &what));
    CHECK(what.level < 2 && what.slot < MOST_SLOTS);
    slot = &loop->stored[what.level][what.slot];
    switch (what.action) {
    case ADTAPE_ACTION_DONE: return 0;
    case ADTAPE_ACTION_ADVANCE:
        CHECK_I64(loop->present, (int64_t)what.step);
        CHECK(what.to > what.step);
        loop->extra += what.to - what.step;
        loop->present = (int64_t)what.to;
        break;
    case ADTAPE_ACTION_SAVE:
        CHECK_I64(loop->present, (int64_t)what.step);
        CHECK_I64(*slot, EMPTY);
        *slot = loop->present;
        loop->saves++;
        break;
    case ADTAPE_ACTION_LOAD:
        CHECK_I64(*slot, (int64_t)what.step);
        loop->present = *slot;
        loop->loads++;
        break;
    case ADTAPE_ACTION_DROP:
        CHECK_I64(*slot, (int64_t)what.step);
        *slot = EMPTY;
        break;
    case ADTAPE_ACTION_TURN:
        CHECK_I64(loop->present, (int64_t)what.step);
        reverse(loop, &what);
        break;
    case ADTAPE_ACTION_RECORD:
        CHECK_I64(loop->present, (int64_t)what.step);
        CHECK_I64(*slot, EMPTY);
        *slot = TAPE + loop->present++;
        break;
    case ADTAPE_ACTION_REVERSE:
        CHECK_I64(*slot, TAPE + (int64_t)what.step);
        *slot = EMPTY;
        reverse(loop, &what);
        break;
    default: CHECK(!"an action of the header");
    }
    return 1;
}

/* Performs a schedule of known length, which costs what it predicts; returns the extra steps. */
static uint64_t cost(adtape_schedule_t *schedule, uint64_t steps) {
    struct loop loop = new_loop(steps);
    adtape_prediction_t predicted;
    adtape_instruction_t done;
    CHECK_OK(adtape_schedule_predict(schedule, &predicted));
    CHECK_U64(predicted.steps, steps);
    while (perform(&loop, schedule)) {
    }
    CHECK_U64(loop.reversed, steps);
    CHECK_U64(loop.extra, predicted.extra_steps);
    CHECK_U64(loop.saves, predicted.memory_saves + predicted.disk_saves);
    CHECK_U64(loop.loads, predicted.memory_loads + predicted.disk_loads);
    CHECK_OK(adtape_schedule_next(schedule, &done));
    CHECK_U64(done.action, ADTAPE_ACTION_DONE);
    adtape_schedule_destroy(schedule);
    return loop.extra;
}

static void every_schedule_reverses_the_loop_at_the_predicted_cost(void) {
    adtape_schedule_t *schedule = NULL;
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 10, 3, 0, &schedule));
    CHECK_U64(cost(schedule, 10), 15);
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 1000, 10, 0, &schedule));
    CHECK_U64(cost(schedule, 1000), 3636);
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 1000, 4, 6, &schedule));
    CHECK_U64(cost(schedule, 1000), 3636);
    CHECK_OK(make_disk_revolve(200, 3, 10.0, 5.0, &schedule));
    CHECK(cost(schedule, 200) > 0);
    CHECK_OK(make_two_level(200, 25, 4, &schedule));
    CHECK(cost(schedule, 200) >= 175);
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_MIXED, 200, 10, 0, &schedule));
    CHECK(cost(schedule, 200) < 495);
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_STORE_ALL, 60, 0, 0, &schedule));
    CHECK_U64(cost(schedule, 60), 0);
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 0, 0, 0, &schedule));
    CHECK_U64(cost(schedule, 0), 0);
}

/* Runs until `steps` steps are run, then says that the loop has ended. */
static void ends_at(adtape_schedule_t *schedule, uint64_t steps) {
    struct loop loop = new_loop(steps);
    while (loop.present < (int64_t)steps) {
        CHECK(perform(&loop, schedule));
    }
    CHECK_OK(adtape_schedule_end_at(schedule, steps));
    while (perform(&loop, schedule)) {
    }
    CHECK_U64(loop.reversed, steps);
    adtape_schedule_destroy(schedule);
}

static void loops_of_unknown_length_are_reversed(void) {
    for (int64_t steps = 1; steps < 50; steps++) {
        adtape_schedule_t *schedule = NULL;
        CHECK_OK(make_schedule(ADTAPE_SCHEDULE_ONLINE, 0, 5, 0, &schedule));
        ends_at(schedule, (uint64_t)steps);
        /* The period divides the length, so that the loop ends where an action does. */
        CHECK_OK(make_two_level(0, steps, 3, &schedule));
        ends_at(schedule, (uint64_t)steps);
    }
}

static void a_billion_steps_cost_no_more_an_action_than_a_thousand(void) {
    adtape_schedule_t *schedule = NULL;
    adtape_prediction_t predicted;
    struct loop loop = new_loop(1000000000);
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 1000000000, 30, 0, &schedule));
    CHECK_OK(adtape_schedule_predict(schedule, &predicted));
    CHECK(predicted.extra_steps > 8 * predicted.steps && predicted.extra_steps < 12 * predicted.steps);
    for (int i = 0; i < 100000; i++) {
        CHECK(perform(&loop, schedule));
    }
    adtape_schedule_destroy(schedule);
}

static void wrong_arguments_are_refused(void) {
    adtape_schedule_t *schedule = (adtape_schedule_t *)1;
    adtape_instruction_t what;
    adtape_prediction_t predicted;
    CHECK_FAILS(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 2, 0, 0, &schedule), ADTAPE_STATUS_BAD_ARGUMENT,
        "without a snapshot");
    CHECK(schedule == NULL);
    CHECK_FAILS(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, 2, 0, 0, &schedule), ADTAPE_STATUS_BAD_ARGUMENT,
        "without a snapshot");
    CHECK_FAILS(make_disk_revolve(2, 1, -1.0, 1.0, &schedule), ADTAPE_STATUS_BAD_ARGUMENT, "save is -1");
    CHECK_FAILS(make_two_level(2, 0, 1, &schedule), ADTAPE_STATUS_BAD_ARGUMENT, "period");
    CHECK_FAILS(make_schedule(ADTAPE_SCHEDULE_ONLINE, 0, 0, 0, &schedule), ADTAPE_STATUS_BAD_ARGUMENT,
        "without a snapshot");
    CHECK_FAILS(make_schedule(ADTAPE_SCHEDULE_MIXED, 1 << 20, 20, 0, &schedule), ADTAPE_STATUS_BAD_ARGUMENT,
        "takes too long");
    CHECK_FAILS(make_schedule(ADTAPE_SCHEDULE_STORE_ALL, 2, 0, 0, NULL), ADTAPE_STATUS_NULL_POINTER, "new schedule");
    CHECK_FAILS(adtape_schedule_create(NULL, &schedule), ADTAPE_STATUS_NULL_POINTER, "options");
    CHECK_FAILS(make_schedule(0, 2, 1, 0, &schedule), ADTAPE_STATUS_BAD_ARGUMENT, "0 is no kind");
    CHECK_FAILS(make_schedule(ADTAPE_SCHEDULE_ONLINE, 2, 1, 0, &schedule), ADTAPE_STATUS_BAD_ARGUMENT, "has no steps");
    CHECK_FAILS(make_schedule(ADTAPE_SCHEDULE_MIXED, 2, 1, 1, &schedule), ADTAPE_STATUS_BAD_ARGUMENT,
                "has no disk_snapshots");
    CHECK_FAILS(make_schedule(ADTAPE_SCHEDULE_BINOMIAL, -2, 1, 0, &schedule), ADTAPE_STATUS_COUNT_RANGE, "-2 steps");
    CHECK_FAILS(adtape_schedule_next(NULL, &what), ADTAPE_STATUS_NULL_HANDLE, "schedule handle");
    CHECK_FAILS(adtape_schedule_end_at(NULL, 1), ADTAPE_STATUS_NULL_HANDLE, "schedule handle");
    CHECK_FAILS(adtape_schedule_predict(NULL, &predicted), ADTAPE_STATUS_NULL_HANDLE, "schedule handle");
    CHECK_OK(make_schedule(ADTAPE_SCHEDULE_ONLINE, 0, 3, 0, &schedule));
    CHECK_FAILS(adtape_schedule_next(schedule, NULL), ADTAPE_STATUS_NULL_POINTER, "result");
    CHECK_FAILS(adtape_schedule_predict(schedule, &predicted), ADTAPE_STATUS_BAD_ARGUMENT, "length is not known");
    CHECK_FAILS(adtape_schedule_end_at(schedule, 1), ADTAPE_STATUS_BAD_ARGUMENT, "runs steps 0 to 0");
    adtape_schedule_destroy(schedule);
    adtape_schedule_destroy(NULL);
}

int main(void) {
    every_schedule_reverses_the_loop_at_the_predicted_cost();
    loops_of_unknown_length_are_reversed();
    a_billion_steps_cost_no_more_an_action_than_a_thousand();
    wrong_arguments_are_refused();
    return 0;
}
