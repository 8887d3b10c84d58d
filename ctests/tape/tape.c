/* Tapes: made and freed, handed over, trimmed, attached to a local cursor. */
#include "check.h"

static void tapes_do_not_see_each_other(void) {
    enum { TAPES = 20 };
    adtape_t *tapes[TAPES];
    for (int i = 0; i < TAPES; i++) {
        tapes[i] = new_tape();
    }
    for (int n = 0; n < 3000; n++) {
        for (int i = 0; i < TAPES; i++) {
            adtape_push_i32(tapes[i], n * TAPES + i);
            adtape_push_control(tapes[i], (uint64_t)(n + i) & 7, 3);
        }
    }
    for (int i = 0; i < TAPES; i += 2) {
        CHECK_OK(adtape_destroy(tapes[i]));
    }
    for (int n = 2999; n >= 0; n--) {
        for (int i = 1; i < TAPES; i += 2) {
            int32_t value = -1;
            CHECK_U64(adtape_pop_control(tapes[i], 3), (uint64_t)(n + i) & 7);
            adtape_pop_i32(tapes[i], &value);
            CHECK_I64(value, n * TAPES + i);
        }
    }
    for (int i = 1; i < TAPES; i += 2) {
        CHECK_OK(adtape_destroy(tapes[i]));
    }
}

static void own_tape_can_be_freed_and_starts_over(void) {
    CHECK_OK(adtape_destroy(adtape_self()));
    push_doubles(adtape_self(), 1000);
    CHECK_OK(adtape_destroy(adtape_self()));
    CHECK_U64(stats_of(adtape_self()).bytes, 0);
    push_doubles(adtape_self(), 10);
    pop_doubles(adtape_self(), 10);
    CHECK_OK(adtape_destroy(adtape_self()));
    CHECK_OK(adtape_destroy(NULL));
}

static void new_without_a_place_for_the_handle_is_refused(void) {
    CHECK_FAILS(adtape_create(NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
}

/* A released tape keeps its contents, its bits and its regions, and nobody may touch it. */
static void released_tape_waits_for_its_next_owner(void) {
    adtape_t *t = new_tape(), *handle = NULL;
    adtape_stats_t stats;
    adtape_mark_t mark;
    adtape_local_t local;
    push_doubles(t, 2000);
    adtape_push_control(t, 9, 5);
    CHECK_OK(adtape_repeat_start(t));
    CHECK_OK(adtape_release(t, &handle));
    CHECK(handle == t);
    CHECK_FAILS(adtape_stats(t, &stats), ADTAPE_STATUS_RELEASED, "adtape_acquire");
    CHECK_FAILS(adtape_mark_take(t, &mark), ADTAPE_STATUS_RELEASED, "adtape_acquire");
    CHECK_FAILS(adtape_repeat_end(t), ADTAPE_STATUS_RELEASED, "adtape_acquire");
    CHECK_FAILS(adtape_trim(t, ADTAPE_TRIM_HARD), ADTAPE_STATUS_RELEASED, "adtape_acquire");
    CHECK_FAILS(adtape_attach(t, &local), ADTAPE_STATUS_RELEASED, "adtape_acquire");
    CHECK_FAILS(adtape_release(t, &handle), ADTAPE_STATUS_RELEASED, "adtape_acquire");
    CHECK_OK(adtape_acquire(handle));
    CHECK_FAILS(adtape_acquire(handle), ADTAPE_STATUS_RELEASED, "not released");
    CHECK_U64(stats_of(t).repeat_depth, 1);
    for (int round = 0; round < 2; round++) {
        CHECK_U64(adtape_pop_control(t, 5), 9);
        pop_doubles(t, 2000);
        CHECK_OK(adtape_repeat_reset(t));
    }
    CHECK_OK(adtape_release(t, &handle));
    CHECK_OK(adtape_destroy(handle)); /* by whoever finds it */
}

static void own_tape_is_released_under_a_new_handle(void) {
    adtape_t *handle = NULL;
    push_doubles(adtape_self(), 500);
    CHECK_OK(adtape_release(adtape_self(), &handle));
    CHECK(handle != NULL && handle != adtape_self());
    CHECK_U64(stats_of(adtape_self()).bytes, 0);
    push_doubles(adtape_self(), 7);
    CHECK_OK(adtape_acquire(handle));
    push_doubles(handle, 20);
    pop_doubles(adtape_self(), 7);
    pop_doubles(handle, 20);
    pop_doubles(handle, 500);
    CHECK_OK(adtape_destroy(handle));
}

static void release_and_acquire_refuse_null(void) {
    adtape_t *t = new_tape(), *handle = NULL;
    push_doubles(t, 3);
    CHECK_FAILS(adtape_release(NULL, &handle), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_release(t, NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    CHECK_FAILS(adtape_acquire(NULL), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_acquire(t), ADTAPE_STATUS_RELEASED, "not released");
    CHECK_FAILS(adtape_trim(NULL, ADTAPE_TRIM_SOFT), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_trim(t, 7), ADTAPE_STATUS_BAD_ARGUMENT, "7 is no way to trim");
    CHECK_FAILS(adtape_trim(t, -1), ADTAPE_STATUS_BAD_ARGUMENT, "-1 is no way to trim");
    pop_doubles(t, 3);
    CHECK_OK(adtape_destroy(t));
}

static void trim_gives_back_what_lies_above_the_top(void) {
    adtape_t *t = new_tape();
    for (int32_t how = ADTAPE_TRIM_SOFT; how <= ADTAPE_TRIM_HARD; how++) {
        push_doubles(t, 1000);
        push_doubles(t, 400000);
        pop_doubles(t, 400000);
        const uint64_t before = stats_of(t).committed_bytes;
        CHECK(before >= 3200000);
        CHECK_OK(adtape_trim(t, how));
        const uint64_t after = stats_of(t).committed_bytes;
        CHECK(how == ADTAPE_TRIM_SOFT ? after == before : after >= 8000 && after <= 8000 + 65536);
        push_doubles(t, 400000);
        pop_doubles(t, 400000);
        pop_doubles(t, 1000);
    }
    CHECK_OK(adtape_repeat_start(t)); /* what a region holds stays */
    push_doubles(t, 100000);
    CHECK_OK(adtape_repeat_start(t));
    pop_doubles(t, 100000);
    CHECK_OK(adtape_trim(t, ADTAPE_TRIM_HARD));
    CHECK_OK(adtape_repeat_reset(t));
    pop_doubles(t, 100000);
    CHECK_OK(adtape_destroy(t));
}

static void local_cursor_takes_the_tape_and_gives_it_back(void) {
    adtape_t *t = new_tape();
    adtape_local_t local;
    double x = 0;
    push_doubles(t, 100);
    for (int round = 0; round < 5; round++) {
        CHECK_OK(adtape_attach(t, &local));
        for (int i = 0; i < 5000; i++) {
            adtape_local_push_f64(&local, i);
        }
        CHECK_OK(adtape_detach(&local));
        push_doubles(t, 50);
        pop_doubles(t, 50);
        CHECK_OK(adtape_attach(t, &local));
        for (int i = 4999; i >= 0; i--) {
            adtape_local_pop_f64(&local, &x);
            CHECK_F64(x, i);
        }
        CHECK_OK(adtape_detach(&local));
    }
    pop_doubles(t, 100);
    CHECK_OK(adtape_destroy(t));
}

static void attached_tape_is_used_through_its_cursor_only(void) {
    adtape_t *t = new_tape(), *handle = NULL;
    adtape_local_t local, second;
    adtape_stats_t stats;
    double x = 0;
    push_doubles(t, 100);
    CHECK_OK(adtape_attach(t, &local));
    adtape_local_push_f64(&local, 100);
    CHECK_FAILS(adtape_stats(t, &stats), ADTAPE_STATUS_ATTACHED, "adtape_detach");
    CHECK_FAILS(adtape_attach(t, &second), ADTAPE_STATUS_ATTACHED, "adtape_detach");
    CHECK_FAILS(adtape_release(t, &handle), ADTAPE_STATUS_ATTACHED, "adtape_detach");
    CHECK_FAILS(adtape_repeat_start(t), ADTAPE_STATUS_ATTACHED, "adtape_detach");
    CHECK_FAILS(adtape_destroy(t), ADTAPE_STATUS_ATTACHED, "adtape_detach");
    adtape_local_push_f64(&local, 101);
    CHECK_OK(adtape_detach(&local));
    CHECK_FAILS(adtape_detach(&local), ADTAPE_STATUS_ATTACHED, "not attached");
    CHECK_FAILS(adtape_attach(NULL, &local), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_attach(t, NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    CHECK_FAILS(adtape_detach(NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    pop_doubles(t, 102);
    CHECK_OK(adtape_attach(t, &local));
    second = local; /* a copy of an attached cursor is not attached once the original is not */
    CHECK_OK(adtape_detach(&local));
    CHECK_FAILS(adtape_detach(&second), ADTAPE_STATUS_ATTACHED, "not attached");
    adtape_push_f64(t, 5);
    adtape_pop_f64(t, &x);
    CHECK_F64(x, 5);
    CHECK_OK(adtape_destroy(t));
}

static void local_cursor_of_the_own_tape(void) {
    adtape_local_t local;
    double x = 0;
    CHECK_OK(adtape_attach(adtape_self(), &local));
    for (int i = 0; i < 2000; i++) {
        adtape_local_push_f64(&local, i);
    }
    CHECK_OK(adtape_detach(&local));
    adtape_pop_f64(adtape_self(), &x);
    CHECK_F64(x, 1999);
    pop_doubles(adtape_self(), 1999);
    CHECK_U64(stats_of(adtape_self()).bytes, 0);
}

int main(void) {
    tapes_do_not_see_each_other();
    own_tape_can_be_freed_and_starts_over();
    new_without_a_place_for_the_handle_is_refused();
    released_tape_waits_for_its_next_owner();
    own_tape_is_released_under_a_new_handle();
    release_and_acquire_refuse_null();
    trim_gives_back_what_lies_above_the_top();
    local_cursor_takes_the_tape_and_gives_it_back();
    attached_tape_is_used_through_its_cursor_only();
    local_cursor_of_the_own_tape();
    return 0;
}
