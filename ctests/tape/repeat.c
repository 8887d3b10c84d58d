/* Repeat regions: parts of the tape that are popped several times. */
#include "check.h"

static void push_numbers(adtape_t *t, int32_t from, int32_t to) {
    for (int32_t i = from; i < to; i++) {
        adtape_push_i32(t, i);
    }
}

static void pop_numbers(adtape_t *t, int32_t from, int32_t to) {
    for (int32_t i = to - 1; i >= from; i--) {
        int32_t value = -1;
        adtape_pop_i32(t, &value);
        CHECK_I64(value, i);
    }
}

static void region_is_popped_as_often_as_it_is_reset(void) {
    adtape_t *t = new_tape();
    push_numbers(t, 0, 3000);
    CHECK_OK(adtape_repeat_start(t));
    CHECK_U64(stats_of(t).repeat_depth, 1);
    for (int round = 0; round < 4; round++) {
        pop_numbers(t, 1000, 3000);
        CHECK_OK(adtape_repeat_reset(t));
        CHECK_U64(stats_of(t).bytes, 12000);
    }
    pop_numbers(t, 2000, 3000);
    CHECK_OK(adtape_repeat_end(t));
    CHECK_U64(stats_of(t).repeat_depth, 0);
    pop_numbers(t, 0, 2000);
    CHECK_U64(stats_of(t).bytes, 0);
    CHECK_OK(adtape_destroy(t));
}

/* The forward sweep of a fixed point's adjoint tapes inside the region and pops it again in the same round. */
static void pushes_inside_lie_on_top_and_protect_what_was_popped(void) {
    adtape_t *t = new_tape();
    push_numbers(t, 0, 1000);
    CHECK_OK(adtape_repeat_start(t));
    for (int round = 0; round < 5; round++) {
        pop_numbers(t, 600, 1000);
        push_numbers(t, 5000 + round, 9000 + round);
        pop_numbers(t, 6000, 9000 + round);
        push_numbers(t, -50, 0);
        pop_numbers(t, -50, 0);
        pop_numbers(t, 5000 + round, 6000);
        pop_numbers(t, 300, 600);
        CHECK_OK(adtape_repeat_reset(t));
    }
    CHECK_OK(adtape_repeat_end(t));
    pop_numbers(t, 0, 1000);
    CHECK_OK(adtape_destroy(t));
}

static void what_is_pushed_and_not_popped_stays_after_the_end(void) {
    adtape_t *t = new_tape();
    push_numbers(t, 0, 100);
    CHECK_OK(adtape_repeat_start(t));
    pop_numbers(t, 40, 100);
    push_numbers(t, 700, 800);
    CHECK_OK(adtape_repeat_end(t));
    CHECK_U64(stats_of(t).bytes, 4 * (40 + 100));
    push_numbers(t, 800, 900);
    pop_numbers(t, 700, 900);
    pop_numbers(t, 0, 40);
    CHECK_U64(stats_of(t).bytes, 0);
    CHECK_OK(adtape_destroy(t));
}

/* A value may be pushed in two places of the span: half of what is popped lies below the region, half above. */
static void array_that_straddles_the_edge_of_a_region_is_popped_whole(void) {
    enum { BELOW = 50, ABOVE = 70, ALL = BELOW + ABOVE };
    int32_t x[ALL], y[ALL];
    if (environment_has("ADTAPE_CHECK")) {
        return; /* there an array is popped as it was pushed */
    }
    adtape_t *t = new_tape();
    push_numbers(t, 0, 200);
    CHECK_OK(adtape_repeat_start(t));
    pop_numbers(t, 100, 200);
    for (int32_t i = 0; i < ABOVE; i++) {
        x[BELOW + i] = 1000 + i;
        adtape_push_i32(t, 1000 + i);
    }
    for (int32_t i = 0; i < BELOW; i++) {
        x[i] = 100 - BELOW + i;
    }
    const int64_t extents[2] = {ALL / 2, 2}, strides[2] = {4, 4 * (ALL / 2)};
    for (int way = 0; way < 3; way++) {
        memset(y, 0, sizeof y);
        switch (way) {
        case 0: adtape_pop_array_i32(t, y, ALL); break;
        case 1: adtape_pop_array(t, ADTAPE_TYPE_I32, y, ALL); break;
        default: adtape_pop_section(t, ADTAPE_TYPE_I32, y, 2, extents, strides);
        }
        CHECK_SAME(y, x, sizeof x);
        adtape_push_array_i32(t, x, ALL);
    }
    double both = 0;
    int32_t halves[2];
    adtape_pop_array_i32(t, y + 2, ALL - 2);
    adtape_pop_f64(t, &both); /* two integers as one double */
    memcpy(halves, &both, sizeof both);
    CHECK_I64(halves[0], x[0]);
    CHECK_I64(halves[1], x[1]);
    pop_numbers(t, 10, 50);
    CHECK_OK(adtape_repeat_reset(t));
    CHECK_OK(adtape_repeat_end(t));
    pop_numbers(t, 0, 200);
    CHECK_OK(adtape_destroy(t));
}

static void control_bits_repeat_too(void) {
    adtape_t *t = new_tape();
    for (int before = 0; before < 130; before += 13) {
        for (int i = 0; i < before; i++) {
            adtape_push_control(t, (uint64_t)(i % 2), 1);
        }
        const adtape_stats_t at_start = stats_of(t);
        CHECK_OK(adtape_repeat_start(t));
        for (int round = 0; round < 3; round++) {
            for (int i = before - 1; i >= before / 2; i--) {
                CHECK_U64(adtape_pop_control(t, 1), (uint64_t)(i % 2));
            }
            for (int i = 0; i < 40; i++) {
                adtape_push_control(t, (uint64_t)(i * 5) & 127, 7);
            }
            for (int i = 39; i >= 20; i--) {
                CHECK_U64(adtape_pop_control(t, 7), (uint64_t)(i * 5) & 127);
            }
            CHECK_OK(adtape_repeat_reset(t));
            CHECK_U64(stats_of(t).bytes, at_start.bytes);
            CHECK_U64(stats_of(t).pending_bits, at_start.pending_bits);
        }
        CHECK_OK(adtape_repeat_end(t));
        for (int i = before - 1; i >= 0; i--) {
            CHECK_U64(adtape_pop_control(t, 1), (uint64_t)(i % 2));
        }
    }
    CHECK_OK(adtape_destroy(t));
}

/* Every level pops a part of what it finds, pushes something of its own, and runs the inner ones twice. */
static void nest(adtape_t *t, int depth) {
    const int32_t own = 100 * (depth + 1);
    if (depth == 14) {
        return;
    }
    push_numbers(t, own, own + 20);
    CHECK_OK(adtape_repeat_start(t));
    CHECK_U64(stats_of(t).repeat_depth, (uint64_t)depth + 1);
    for (int round = 0; round < 2; round++) {
        pop_numbers(t, own + 10, own + 20);
        nest(t, depth + 1);
        pop_numbers(t, own + 5, own + 10);
        push_numbers(t, -own, -own + 3);
        CHECK_OK(adtape_repeat_reset(t));
    }
    CHECK_OK(adtape_repeat_end(t));
    pop_numbers(t, own, own + 20);
}

static void regions_nest(void) {
    adtape_t *t = new_tape();
    nest(t, 0);
    CHECK_U64(stats_of(t).bytes, 0);
    CHECK_U64(stats_of(t).repeat_depth, 0);
    CHECK_OK(adtape_destroy(t));
}

static void region_of_an_empty_tape_can_be_used(void) {
    adtape_t *t = new_tape();
    CHECK_OK(adtape_repeat_start(t));
    for (int round = 0; round < 3; round++) {
        push_numbers(t, 0, 50);
        pop_numbers(t, 20, 50);
        CHECK_OK(adtape_repeat_reset(t));
        CHECK_U64(stats_of(t).bytes, 0);
    }
    push_numbers(t, 0, 50);
    CHECK_OK(adtape_repeat_end(t));
    pop_numbers(t, 0, 50);
    CHECK_OK(adtape_destroy(t));
}

static void unbalanced_reset_and_end_are_refused_and_change_nothing(void) {
    adtape_t *t = new_tape();
    push_numbers(t, 0, 30);
    CHECK_FAILS(adtape_repeat_reset(t), ADTAPE_STATUS_REPEAT_UNBALANCED, "reset");
    CHECK_FAILS(adtape_repeat_end(t), ADTAPE_STATUS_REPEAT_UNBALANCED, "end");
    CHECK_OK(adtape_repeat_start(t));
    pop_numbers(t, 20, 30);
    CHECK_OK(adtape_repeat_end(t));
    CHECK_FAILS(adtape_repeat_reset(t), ADTAPE_STATUS_REPEAT_UNBALANCED, "start before it");
    CHECK_FAILS(adtape_repeat_end(t), ADTAPE_STATUS_REPEAT_UNBALANCED, "start before it");
    CHECK_FAILS(adtape_repeat_start(NULL), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_repeat_reset(NULL), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_repeat_end(NULL), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    pop_numbers(t, 0, 20);
    CHECK_OK(adtape_destroy(t));
}

int main(void) {
    region_is_popped_as_often_as_it_is_reset();
    pushes_inside_lie_on_top_and_protect_what_was_popped();
    what_is_pushed_and_not_popped_stays_after_the_end();
    array_that_straddles_the_edge_of_a_region_is_popped_whole();
    control_bits_repeat_too();
    regions_nest();
    region_of_an_empty_tape_can_be_used();
    unbalanced_reset_and_end_are_refused_and_change_nothing();
    return 0;
}
