/* Marks: positions to compare, to measure and to go back to. */
#include "check.h"

static adtape_mark_t mark_of(adtape_t *t) {
    adtape_mark_t mark;
    memset(&mark, 0, sizeof mark);
    CHECK_OK(adtape_mark_take(t, &mark));
    return mark;
}

static int order_of(adtape_mark_t a, adtape_mark_t b) {
    int32_t order = 99;
    CHECK_OK(adtape_mark_compare(&a, &b, &order, NULL));
    return order;
}

static int64_t bytes_between(adtape_mark_t a, adtape_mark_t b) {
    int64_t bytes = INT64_MIN;
    CHECK_OK(adtape_mark_compare(&a, &b, NULL, &bytes));
    return bytes;
}

static void marks_have_the_order_of_their_pushes(void) {
    adtape_t *t = adtape_self();
    adtape_mark_t marks[6];
    marks[0] = mark_of(t);
    adtape_push_f64(t, 1);
    marks[1] = mark_of(t);
    adtape_push_control(t, 5, 3);
    marks[2] = mark_of(t);
    adtape_push_control(t, 0, 58);
    marks[3] = mark_of(t);
    adtape_push_control(t, 1, 1); /* the word is full */
    marks[4] = mark_of(t);
    adtape_push_i8(t, 1);
    marks[5] = mark_of(t);
    static const int64_t offsets[6] = {0, 8, 8, 8, 16, 17};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            CHECK_I64(order_of(marks[i], marks[j]), (i > j) - (i < j));
            CHECK_I64(bytes_between(marks[i], marks[j]), offsets[j] - offsets[i]);
        }
    }
    CHECK_OK(adtape_mark_reset(t, &marks[0]));
    CHECK_U64(stats_of(t).bytes, 0);
}

static void reset_discards_what_was_pushed_since(void) {
    adtape_t *t = adtape_self();
    double x = 0;
    int64_t n = 0;
    adtape_push_f64(t, 1.5);
    adtape_push_control(t, 0x2A, 7);
    adtape_push_count(t, 300);
    const adtape_mark_t mark = mark_of(t);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 20000; i++) {
            adtape_push_control(t, (uint64_t)i & 2047, 11);
            adtape_push_i16(t, (int16_t)i);
        }
        CHECK_OK(adtape_mark_reset(t, &mark));
        CHECK_U64(stats_of(t).bytes, 10);
        CHECK_U64(stats_of(t).pending_bits, 7);
        CHECK_I64(order_of(mark, mark_of(t)), 0);
    }
    n = adtape_pop_count(t);
    CHECK_I64(n, 300);
    CHECK_U64(adtape_pop_control(t, 7), 0x2A);
    adtape_pop_f64(t, &x);
    CHECK_F64(x, 1.5);
}

/* A mark survives growth and moves of the tape. */
static void mark_outlives_growth(void) {
    adtape_t *t = new_tape();
    double x = 0;
    adtape_push_f64(t, 42);
    const adtape_mark_t mark = mark_of(t);
    for (int i = 0; i < 300000; i++) {
        adtape_push_f64(t, i);
    }
    CHECK_I64(bytes_between(mark, mark_of(t)), 2400000);
    CHECK_OK(adtape_mark_reset(t, &mark));
    adtape_pop_f64(t, &x);
    CHECK_F64(x, 42);
    CHECK_OK(adtape_destroy(t));
}

static void marks_work_inside_repeat_regions(void) {
    adtape_t *t = new_tape();
    int32_t value = 0;
    for (int32_t i = 0; i < 10; i++) {
        adtape_push_i32(t, i);
    }
    const adtape_mark_t below = mark_of(t);
    adtape_push_i32(t, 10);
    CHECK_OK(adtape_repeat_start(t));
    for (int round = 0; round < 3; round++) {
        adtape_pop_i32(t, &value);
        CHECK_I64(value, 10);
        adtape_push_i32(t, 100 + round);
        const adtape_mark_t inside = mark_of(t);
        adtape_push_i64(t, 7);
        CHECK_I64(bytes_between(inside, mark_of(t)), 8);
        CHECK_OK(adtape_mark_reset(t, &inside));
        adtape_pop_i32(t, &value);
        CHECK_I64(value, 100 + round);
        CHECK_I64(order_of(below, mark_of(t)), 0);
        CHECK_OK(adtape_repeat_reset(t));
    }
    CHECK_OK(adtape_mark_reset(t, &below));
    adtape_pop_i32(t, &value);
    CHECK_I64(value, 9);
    CHECK_OK(adtape_repeat_end(t));
    for (int32_t i = 8; i >= 0; i--) {
        adtape_pop_i32(t, &value);
        CHECK_I64(value, i);
    }
    CHECK_OK(adtape_destroy(t));
}

static void fill(adtape_t *t) {
    for (int32_t i = 0; i < 8; i++) {
        adtape_push_i32(t, i * i);
        adtape_push_control(t, (uint64_t)i, 5);
    }
}

static void check_filled(adtape_t *t) {
    for (int32_t i = 7; i >= 0; i--) {
        int32_t value = -1;
        CHECK_U64(adtape_pop_control(t, 5), (uint64_t)i);
        adtape_pop_i32(t, &value);
        CHECK_I64(value, i * i);
    }
    CHECK_U64(stats_of(t).bytes + stats_of(t).pending_bits, 0);
}

static void foreign_mark_is_refused_and_changes_nothing(void) {
    adtape_t *t = new_tape(), *other = new_tape();
    adtape_mark_t never_taken;
    int32_t order = 99;
    int64_t bytes = 99;
    memset(&never_taken, 0, sizeof never_taken);
    fill(t);
    fill(other);
    const adtape_mark_t mark = mark_of(t), foreign = mark_of(other);
    CHECK_FAILS(adtape_mark_reset(t, &foreign), ADTAPE_STATUS_MARK_FOREIGN, "where it was taken");
    CHECK_FAILS(adtape_mark_reset(t, &never_taken), ADTAPE_STATUS_MARK_FOREIGN, "mark");
    CHECK_FAILS(adtape_mark_compare(&mark, &foreign, &order, &bytes), ADTAPE_STATUS_MARK_FOREIGN, "two tapes");
    CHECK_FAILS(adtape_mark_compare(&never_taken, &never_taken, &order, NULL), ADTAPE_STATUS_MARK_FOREIGN,
                "never taken");
    CHECK_FAILS(adtape_mark_compare(&mark, &never_taken, NULL, &bytes), ADTAPE_STATUS_MARK_FOREIGN, "never taken");
    CHECK_FAILS(adtape_mark_compare(&foreign, &mark, NULL, &bytes), ADTAPE_STATUS_MARK_FOREIGN, "two tapes");
    CHECK_I64(order, 99);
    CHECK_I64(bytes, 99);
    check_filled(t);
    check_filled(other);
    CHECK_OK(adtape_destroy(t));
    CHECK_OK(adtape_destroy(other));
}

static void mark_above_the_top_is_refused_and_changes_nothing(void) {
    adtape_t *t = new_tape();
    double x = 0;
    fill(t);
    adtape_push_f64(t, 0.5);
    const adtape_mark_t above = mark_of(t);
    adtape_pop_f64(t, &x);
    CHECK_FAILS(adtape_mark_reset(t, &above), ADTAPE_STATUS_MARK_ABOVE_TOP, "holds 32 bytes");
    adtape_push_control(t, 1, 3);
    const adtape_mark_t above_bits = mark_of(t);
    (void)adtape_pop_control(t, 3);
    CHECK_FAILS(adtape_mark_reset(t, &above_bits), ADTAPE_STATUS_MARK_ABOVE_TOP, "control bits");
    check_filled(t);
    CHECK_OK(adtape_destroy(t));
}

/* Other values lie where the mark was taken: only check mode can know, and it keeps them and their records. */
static void check_mode_refuses_a_mark_whose_values_were_replaced(void) {
    adtape_t *t = new_tape();
    double x = 0;
    fill(t);
    adtape_push_f64(t, 0.5);
    const adtape_mark_t replaced = mark_of(t);
    adtape_pop_f64(t, &x);
    adtape_push_f64(t, 1.5);
    adtape_push_f64(t, 2.5);
    CHECK_FAILS(adtape_mark_reset(t, &replaced), ADTAPE_STATUS_MARK_ABOVE_TOP, "popped and other values were pushed");
    adtape_pop_f64(t, &x);
    CHECK_F64(x, 2.5);
    adtape_pop_f64(t, &x);
    CHECK_F64(x, 1.5);
    check_filled(t);
    CHECK_OK(adtape_destroy(t));
}

static void null_is_refused(void) {
    adtape_t *t = new_tape();
    adtape_mark_t mark = mark_of(t);
    int32_t order = 0;
    int64_t bytes = 0;
    CHECK_FAILS(adtape_mark_take(NULL, &mark), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_mark_take(t, NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    CHECK_FAILS(adtape_mark_reset(NULL, &mark), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_mark_reset(t, NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    CHECK_FAILS(adtape_mark_compare(NULL, &mark, &order, &bytes), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    CHECK_FAILS(adtape_mark_compare(&mark, NULL, &order, &bytes), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    CHECK_OK(adtape_mark_compare(&mark, &mark, NULL, NULL));
    CHECK_OK(adtape_destroy(t));
}

int main(void) {
    marks_have_the_order_of_their_pushes();
    reset_discards_what_was_pushed_since();
    mark_outlives_growth();
    marks_work_inside_repeat_regions();
    foreign_mark_is_refused_and_changes_nothing();
    mark_above_the_top_is_refused_and_changes_nothing();
    if (environment_has("ADTAPE_CHECK")) {
        check_mode_refuses_a_mark_whose_values_were_replaced();
    }
    null_is_refused();
    return 0;
}
