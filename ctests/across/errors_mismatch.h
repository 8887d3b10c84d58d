/* errors_mismatch.h: cases of errors.c in check mode, where a pop is compared with the push that it meets. Both
 * places are named, by file and line. */

static void pop_three(void) { adtape_pop_array_f64(tape, three, 3); }
static void pop_bits(void) { CHECK_U64(adtape_pop_control(tape, 7), 0x55); }
static void pop_counter(void) { CHECK_I64(adtape_pop_count(tape), 7); }

/* push, pop that does not match it, pop that does. */
#define MISMATCH(name, push, pop, right)  \
    static void name(void) {              \
        seen.before_verify = right;       \
        PUSH_HERE(push);                  \
        HERE(pop);                        \
    }
MISMATCH(mismatch_type, adtape_push_f64(tape, 3), adtape_pop_i64(tape, (int64_t *)target), pop_one)
MISMATCH(mismatch_count, adtape_push_array_f64(tape, three, 3), adtape_pop_array_f64(tape, target, 2), pop_three)
MISMATCH(mismatch_width, adtape_push_control(tape, 0x55, 7), (void)adtape_pop_control(tape, 6), pop_bits)
MISMATCH(mismatch_value_for_bits, adtape_call_push_f64(tape, three), (void)adtape_pop_control(tape, 6), pop_one)
MISMATCH(mismatch_bits_for_value, adtape_call_push_control(tape, 0x55, 7), adtape_call_pop_f64(tape, target), pop_bits)
MISMATCH(mismatch_value_for_count, adtape_push_f64(tape, 3), (void)adtape_pop_count(tape), pop_one)
MISMATCH(mismatch_count_for_value, adtape_push_count(tape, 7), adtape_pop_i8(tape, (int8_t *)target), pop_counter)
MISMATCH(mismatch_many_bits, (adtape_push_control(tape, 0x55, 7)), (void)adtape_call_pop_control(tape, 64), pop_bits)

static void mismatch_array_as_scalar(void) {
    seen.before_verify = pop_three;
    PUSH_HERE(adtape_push_array(tape, ADTAPE_TYPE_F64, three, 3));
    HERE(adtape_pop_f64(tape, target));
}
static void mismatch_more_than_there_is(void) {
    seen.before_verify = pop_three;
    PUSH_HERE(adtape_push_array_f64(tape, three, 3));
    HERE(adtape_pop_array_f64(tape, target, 100));
}
static void mismatch_section(void) {
    seen.before_verify = pop_three;
    PUSH_HERE(adtape_push_array_f64(tape, three, 3));
    HERE(adtape_pop_section(tape, ADTAPE_TYPE_F64, target, 2, extents_2x2, strides_2x2));
}
static void detach_and_pop(void) {
    detach_local();
    pop_one();
}
static void mismatch_local(void) {
    CHECK_OK(adtape_attach(tape, &local));
    seen.before_verify = detach_and_pop;
    PUSH_HERE(adtape_local_push_f64(&local, 3));
    HERE(adtape_local_pop_f32(&local, (float *)target));
}

/* A call at the very end of a function, where a compiler would rather jump than call. */
static __attribute__((noinline)) void push_bits_at_the_end(void) { adtape_push_control(tape, 0x55, 7); }
static const int push_bits_line = __LINE__ - 1;
static __attribute__((noinline)) int64_t pop_count_at_the_end(void) { return adtape_pop_count(tape); }
static const int pop_count_line = __LINE__ - 1;
static __attribute__((noinline)) void push_section_at_the_end(void) {
    adtape_push_section(tape, ADTAPE_TYPE_F64, target, 2, extents_2x2, strides_2x2);
}
static const int push_section_line = __LINE__ - 2;
static __attribute__((noinline)) uint64_t pop_bits_at_the_end(void) { return adtape_pop_control(tape, 8); }
static const int pop_bits_line = __LINE__ - 1;
static void pop_four(void) { adtape_pop_array_f64(tape, target, 4); }
/* A push of this file at `push_line` is met by the pop of another type at `line`; `right` is the one that it wants. */
static void expect_lines(int push_line, int line, void (*right)(void)) {
    seen.file = seen.push_file = __FILE__;
    seen.push_line = push_line;
    seen.line = line;
    seen.before_verify = right;
}
static void site_of_last_calls(void) {
    push_bits_at_the_end();
    expect_lines(push_bits_line, pop_count_line, pop_bits);
    (void)pop_count_at_the_end();
}
static void site_of_last_section(void) {
    push_section_at_the_end();
    expect_lines(push_section_line, pop_bits_line, pop_four);
    (void)pop_bits_at_the_end();
}

static void mismatch_nothing_left(void) {
    empty();
    HERE(adtape_pop_f64(tape, target));
}
static void mismatch_no_bits_left(void) {
    empty();
    HERE((void)adtape_pop_control(tape, 3));
}
/* The records are reset with the region: the push is the one before it. */
static void end_region_and_pop(void) {
    end_region();
    pop_three();
}
static void mismatch_in_repeat(void) {
    PUSH_HERE(adtape_push_array_f64(tape, three, 3));
    CHECK_OK(adtape_repeat_start(tape));
    seen.before_verify = end_region_and_pop;
    for (int round = 0; round < 3; round++) {
        adtape_pop_array_f64(tape, target, 3);
        adtape_push_i32(tape, 1);
        CHECK_OK(adtape_repeat_reset(tape));
    }
    HERE(adtape_pop_array_f32(tape, (float *)target, 3));
}
/* What was pushed in the region and not popped is what the pop meets. */
static void mismatch_with_push_in_repeat(void) {
    CHECK_OK(adtape_repeat_start(tape));
    seen.before_verify = end_region;
    adtape_pop_f64(tape, target);
    PUSH_HERE(adtape_push_i16(tape, 1));
    HERE((void)adtape_pop_control(tape, 5));
}
static void mismatch_after_mark_reset(void) {
    adtape_mark_t mark;
    PUSH_HERE(adtape_push_f64(tape, 3));
    CHECK_OK(adtape_mark_take(tape, &mark));
    seen.before_verify = pop_one;
    for (int i = 0; i < 100; i++) {
        adtape_push_i32(tape, i);
    }
    CHECK_OK(adtape_mark_reset(tape, &mark));
    HERE(adtape_pop_i32(tape, (int32_t *)target));
}
