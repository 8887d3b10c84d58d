/* Loops that run again from snapshots: a pretended loop, whose state is the number of the pass and what it has computed. */
#include <signal.h>

#include "child.h"
#include "schedules.h"

enum { MOST = 120 };

struct loop {
    int64_t step;
    double value[3];
    double computed[MOST + 1]; /* in front of each pass, the first time */
    int64_t runs;              /* passes without a tape in the reverse sweep */
};

static void pass(struct loop *loop) {
    loop->value[loop->step % 3] += 1.0 / (double)(loop->step + 1);
    loop->step++;
}

static void move(adtape_passes_t *passes, struct loop *loop) {
    adtape_abi0_passes_move(passes, loop->value, (int64_t)sizeof loop->value);
    adtape_abi0_passes_move(passes, NULL, 0);
    adtape_abi0_passes_move(passes, &loop->step, (int64_t)sizeof loop->step);
}

static double sum(const struct loop *loop) {
    return loop->value[0] + 2.0 * loop->value[1] + 3.0 * loop->value[2];
}

/* Runs `steps` passes and back: `announced` of them, -1 for an unknown number. */
static int64_t there_and_back(int64_t snapshots, int64_t steps, int64_t announced) {
    struct loop loop = {.step = 0};
    adtape_passes_t *const passes = adtape_abi0_passes_create(snapshots, announced);
    int64_t kept = 0;
    for (int64_t k = 0; k < steps; k++) {
        loop.computed[k] = sum(&loop);
        if (adtape_abi0_passes_enter(passes)) {
            move(passes, &loop);
            kept++;
        }
        pass(&loop);
    }
    adtape_abi0_passes_leave(passes);
    CHECK(steps == 0 || kept > 0);
    for (int64_t k = steps; k-- > 0;) {
        loop.value[0] = loop.value[1] = loop.value[2] = -1.0; /* what the reversal of a pass leaves */
        loop.step = -1;
        for (;;) {
            while (adtape_abi0_passes_state(passes)) {
                move(passes, &loop);
            }
            if (!adtape_abi0_passes_run(passes)) {
                break;
            }
            pass(&loop);
            loop.runs++;
        }
        CHECK_I64(loop.step, k);
        CHECK_F64(sum(&loop), loop.computed[k]);
    }
    adtape_abi0_passes_destroy(passes);
    return loop.runs;
}

static void every_pass_comes_to_its_turn_with_its_state(void) {
    const int64_t steps[] = {0, 1, 2, 7, 100}, snapshots[] = {1, 2, 3, 20, 200};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            there_and_back(snapshots[j], steps[i], steps[i]);
            there_and_back(snapshots[j], steps[i], -1);
            there_and_back(snapshots[j], steps[i], MOST);
            there_and_back(snapshots[j], steps[i], steps[i] + 1);
        }
    }
}

/* What follows the loop is a step more, which runs no pass again. */
static void no_more_passes_are_run_than_the_binomial_schedule_has(void) {
    const int64_t snapshots[] = {1, 3, 20};
    for (int i = 0; i < 3; i++) {
        const adtape_schedule_options_t options = {
            .kind = ADTAPE_SCHEDULE_BINOMIAL, .steps = 101, .memory_snapshots = snapshots[i]};
        adtape_schedule_t *schedule;
        adtape_prediction_t cost;
        CHECK_OK(adtape_schedule_create(&options, &schedule));
        CHECK_OK(adtape_schedule_predict(schedule, &cost));
        adtape_schedule_destroy(schedule);
        CHECK_I64(there_and_back(snapshots[i], 100, 100), (int64_t)cost.extra_steps - 100);
    }
}

static void loops_are_given_up(void) {
    adtape_passes_t *passes = adtape_abi0_passes_create(2, 5);
    double state = 1.0;
    CHECK(adtape_abi0_passes_enter(passes));
    adtape_abi0_passes_move(passes, &state, (int64_t)sizeof state);
    adtape_abi0_passes_destroy(passes);
    adtape_abi0_passes_destroy(NULL);
}

enum mistake { NEGATIVE, NO_SNAPSHOT, NO_LOOP, BACK_TOO_EARLY, RUN_TOO_EARLY, NO_STATE, NO_PART, MORE_PASSES, LEFT_TWICE,
               FORWARD_AGAIN, OTHER_PARTS, HALF_A_STATE, REVERSED_ALREADY, MISTAKES };

static const char *const said[MISTAKES] = {"the number is negative", "without a snapshot", "adtape_abi0_passes_create",
    "its forward sweep", "it was not asked", "no state is to be kept", "is NULL", "more than the 2 passes",
    "its reverse sweep", "its reverse sweep", "other parts", "had 16 bytes, and now has 8", "reversed already"};

static void make(void *argument) {
    const enum mistake mistake = *(const enum mistake *)argument;
    double state[2] = {1.0, 2.0};
    adtape_passes_t *const passes = adtape_abi0_passes_create(mistake == NEGATIVE ? -1 : mistake == NO_SNAPSHOT ? 0 : 2, 2);
    if (mistake == NO_LOOP) (void)adtape_abi0_passes_enter(NULL);
    if (mistake == BACK_TOO_EARLY) (void)adtape_abi0_passes_state(passes);
    if (mistake == RUN_TOO_EARLY) (void)adtape_abi0_passes_run(passes);
    if (mistake == NO_STATE) adtape_abi0_passes_move(passes, state, 8);
    CHECK(adtape_abi0_passes_enter(passes));
    if (mistake == NO_PART) adtape_abi0_passes_move(passes, NULL, 8);
    adtape_abi0_passes_move(passes, state, (int64_t)sizeof state);
    if (adtape_abi0_passes_enter(passes)) adtape_abi0_passes_move(passes, state, (int64_t)sizeof state);
    if (mistake == MORE_PASSES) (void)adtape_abi0_passes_enter(passes);
    adtape_abi0_passes_leave(passes);
    if (mistake == LEFT_TWICE) adtape_abi0_passes_leave(passes);
    if (mistake == FORWARD_AGAIN) (void)adtape_abi0_passes_enter(passes);
    CHECK(adtape_abi0_passes_state(passes));
    adtape_abi0_passes_move(passes, state, 8);
    if (mistake == OTHER_PARTS) adtape_abi0_passes_move(passes, state, (int64_t)sizeof state);
    if (mistake == HALF_A_STATE) (void)adtape_abi0_passes_state(passes);
    adtape_abi0_passes_move(passes, state + 1, 8);
    for (int turns = 0;;) {
        while (adtape_abi0_passes_state(passes)) adtape_abi0_passes_move(passes, state, (int64_t)sizeof state);
        turns += !adtape_abi0_passes_run(passes);
        if (turns == 2 && mistake != REVERSED_ALREADY) return;
    }
}

static void mistakes_end_in_the_error_handler(void) {
    for (int i = 0; i < MISTAKES; i++) {
        enum mistake mistake = (enum mistake)i;
        const child_t child = in_child(make, &mistake);
        CHECK_SIGNAL(child, SIGABRT);
        CHECK_HAS(child.text, said[i]);
    }
}

static void keep_more_than_there_is_room_for(void *argument) {
    (void)argument;
    there_and_back(20, 100, 100);
}

static void snapshots_beyond_the_limit_go_to_the_disk(void) {
    adtape_memory_t before, after;
    CHECK_OK(adtape_process_set_memory_limit(4096));
    CHECK_OK(adtape_process_memory(&before));
    CHECK_OK(adtape_process_set_memory_limit((int64_t)before.committed_bytes + 96));
    const child_t child = in_child(keep_more_than_there_is_room_for, NULL);
    CHECK_SIGNAL(child, SIGABRT);
    CHECK_HAS(child.text, "limit");
    CHECK_OK(adtape_process_set_spill_directory("/tmp"));
    CHECK_I64(there_and_back(20, 100, 100), 80);
    there_and_back(3, 40, -1);
    CHECK_OK(adtape_process_memory(&after));
    CHECK_I64((int64_t)after.committed_bytes, (int64_t)before.committed_bytes);
    CHECK_I64((int64_t)after.disk_bytes, 0);
}

int main(void) {
    every_pass_comes_to_its_turn_with_its_state();
    no_more_passes_are_run_than_the_binomial_schedule_has();
    loops_are_given_up();
    mistakes_end_in_the_error_handler();
    snapshots_beyond_the_limit_go_to_the_disk();
    return 0;
}
