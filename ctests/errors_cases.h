/* errors_cases.h: the cases of errors.c. Each provokes one error on `tape`, which is filled. */

/* ---- NULL --------------------------------------------------------------------------------------------------- */

/* NULL and counts that are unknown to the compiler, which would warn. */
static void *volatile nothing_here;
#define NOTHING_HERE ((double *)nothing_here)
static volatile int64_t hidden;
#define COUNT(n) (hidden = (n), hidden)

static const double one = 1;
static double target[2000];
static const int64_t extents_2x2[2] = {2, 2}, strides_2x2[2] = {8, 16};

#define AT(name, call) \
    static void name(void) { HERE(call); }

AT(null_handle_scalar, adtape_call_push_f64(NULL, &one))
AT(null_handle_scalar_pop, adtape_call_pop_f64(NULL, target))
AT(null_handle_array, adtape_push_array(NULL, ADTAPE_TYPE_F64, target, 3))
AT(null_handle_section, adtape_push_section(NULL, ADTAPE_TYPE_F64, target, 2, extents_2x2, strides_2x2))
AT(null_handle_control, adtape_call_push_control(NULL, 1, 1))
AT(null_handle_count, adtape_call_push_count(NULL, 1))
static void null_handle_status(void) { returned(adtape_repeat_start(NULL)); }
static void null_session(void) {
    adtape_t *t = NULL;
    returned(adtape_new(NULL, &t));
}
#if !defined(__OPTIMIZE__)
AT(null_handle_inline, adtape_push_f64(NULL, 1))
AT(null_handle_inline_array, adtape_pop_array_f64(NULL, target, 2))
AT(null_handle_inline_control, adtape_push_control(NULL, 1, 1))
AT(null_handle_inline_count, (void)adtape_pop_count(NULL))
#define UNOPTIMISED_CASES(X)                                  \
    X(null_handle_inline, NULL, NULL_HANDLE, ABORTS)          \
    X(null_handle_inline_array, NULL, NULL_HANDLE, ABORTS)    \
    X(null_handle_inline_control, NULL, NULL_HANDLE, ABORTS)  \
    X(null_handle_inline_count, NULL, NULL_HANDLE, ABORTS)
#else
#define UNOPTIMISED_CASES(X)
#endif

AT(null_array, adtape_push_array_f64(tape, NOTHING_HERE, 5))
AT(null_array_pop, adtape_pop_array_i32(tape, (int32_t *)nothing_here, 5))
AT(null_array_of_any_type, adtape_push_array(tape, ADTAPE_TYPE_F64, NULL, 5))
AT(null_array_of_own_tape, adtape_self_pop_array(ADTAPE_TYPE_F64, NULL, 1))
AT(null_bytes, adtape_push_bytes(tape, NOTHING_HERE, 5))
AT(null_array_of_minus_one, adtape_push_array_f64(tape, NOTHING_HERE, COUNT(-1)))
AT(null_section, adtape_push_section(tape, ADTAPE_TYPE_F64, NULL, 2, extents_2x2, strides_2x2))
AT(null_extents, adtape_push_section(tape, ADTAPE_TYPE_F64, target, 2, NULL, strides_2x2))
AT(null_strides, adtape_pop_section(tape, ADTAPE_TYPE_F64, target, 2, extents_2x2, NULL))
static void null_result(void) { returned(adtape_stats_get(tape, NULL)); }

/* ---- counts and arguments ------------------------------------------------------------------------------------- */

#define ABSURD COUNT((INT64_C(1) << 61) + 1) /* times 8 it is 8, modulo 2^64 */

AT(count_negative, adtape_push_array_f64(tape, target, COUNT(-3)))
AT(count_negative_pop, adtape_pop_array_f64(tape, target, COUNT(-3)))
AT(count_negative_of_any_type, adtape_push_array(tape, ADTAPE_TYPE_F64, target, COUNT(-3)))
AT(count_least, adtape_pop_array_i8(tape, (int8_t *)target, COUNT(INT64_MIN)))
AT(count_absurd, adtape_push_array_f64(tape, target, ABSURD))
AT(count_absurd_pop, adtape_pop_array_f64(tape, target, ABSURD))
AT(count_absurd_of_any_type, adtape_push_array(tape, ADTAPE_TYPE_F64, target, ABSURD))
AT(count_absurd_pop_of_any_type, adtape_pop_array(tape, ADTAPE_TYPE_F64, target, ABSURD))
AT(count_absurd_of_own_tape, adtape_self_push_array(ADTAPE_TYPE_COMPLEX_F128, target, COUNT(INT64_MAX)))
AT(count_absurd_bytes, adtape_push_bytes(tape, target, COUNT(INT64_MAX)))
static void section_too_large(void) {
    const int64_t extents[3] = {INT64_C(1) << 40, INT64_C(1) << 40, 2}, strides[3] = {0, 0, 0};
    HERE(adtape_push_section(tape, ADTAPE_TYPE_I8, target, 3, extents, strides));
}

AT(bits_none, adtape_push_control(tape, 1, 0))
AT(bits_negative, adtape_push_control(tape, 1, -5))
AT(bits_65, adtape_push_control(tape, 1, 65))
AT(bits_65_pop, (void)adtape_pop_control(tape, 65))
AT(bits_65_out_of_line, adtape_call_push_control(tape, 1, 65))
AT(bits_none_of_own_tape, (void)adtape_self_pop_control(0))
AT(type_unknown, adtape_push_array(tape, 99, target, 1))
AT(type_zero, adtape_pop_array(tape, 0, target, 1))
AT(type_of_control_array, adtape_push_array(tape, ADTAPE_TYPE_CONTROL, target, 5))
AT(type_of_count_array, adtape_pop_array(tape, ADTAPE_TYPE_COUNT, target, 1))
AT(section_type_unknown, adtape_push_section(tape, 99, target, 2, extents_2x2, strides_2x2))
AT(section_type_control, adtape_push_section(tape, ADTAPE_TYPE_CONTROL, target, 2, extents_2x2, strides_2x2))
AT(section_rank_negative, adtape_push_section(tape, ADTAPE_TYPE_F64, target, -1, extents_2x2, strides_2x2))
AT(section_rank_16, adtape_pop_section(tape, ADTAPE_TYPE_F64, target, 16, extents_2x2, strides_2x2))
static void section_extent_negative(void) {
    const int64_t extents[2] = {2, -1}, strides[2] = {8, 16};
    HERE(adtape_push_section(tape, ADTAPE_TYPE_F64, target, 2, extents, strides));
}
static void trim_unknown(void) { returned(adtape_trim(tape, 7)); }
static void operation_unknown(void) {
    adtape_traffic_t traffic;
    returned(adtape_stats_traffic(tape, 0, 2, &traffic));
}
static void descriptor_negative(void) { returned(adtape_stats_print(tape, -1)); }
static void descriptor_not_open(void) { returned(adtape_stats_print(tape, 987)); }

/* ---- popping what is not there ----------------------------------------------------------------------------------- */

AT(underflow_array, adtape_pop_array_f64(tape, target, 1000))
AT(underflow_array_of_any_type, adtape_pop_array(tape, ADTAPE_TYPE_F64, target, 1000))
AT(underflow_array_of_own_tape, adtape_self_pop_array(ADTAPE_TYPE_I32, target, 10))
static void underflow_section(void) {
    const int64_t extents[2] = {20, 2}, strides[2] = {16, 320};
    HERE(adtape_pop_section(tape, ADTAPE_TYPE_F64, target, 2, extents, strides));
}
static void empty(void) {
    verify_filled(tape);
    seen.emptied = 1;
}
static void underflow_scalar(void) {
    empty();
    HERE(adtape_pop_f64(tape, target));
}
static void underflow_scalar_out_of_line(void) {
    empty();
    HERE(adtape_call_pop_f64(tape, target));
}
static void underflow_control(void) {
    empty();
    HERE((void)adtape_pop_control(tape, 3));
}
static void underflow_count(void) {
    empty();
    HERE((void)adtape_pop_count(tape));
}
static void detach_local(void) { CHECK_OK(adtape_detach(&local)); }
static void underflow_local(void) {
    empty();
    CHECK_OK(adtape_attach(tape, &local));
    seen.before_verify = detach_local;
    HERE(adtape_local_pop_f64(&local, target));
}
static void end_region(void) {
    CHECK_OK(adtape_repeat_reset(tape));
    CHECK_OK(adtape_repeat_end(tape));
}
static void underflow_in_repeat(void) {
    CHECK_OK(adtape_repeat_start(tape));
    seen.before_verify = end_region;
    verify_filled(tape);
    HERE(adtape_pop_f64(tape, target));
}

/* Below the 5 pending bits lies the double 0.5, which is no word of control bits. */
AT(corrupt_control, (void)adtape_pop_control(tape, 64))
static void pop_ones(void) {
    unsigned char bytes[12];
    adtape_pop_bytes(tape, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        CHECK_U64(bytes[i], 0xFF);
    }
}
static void corrupt_count(void) {
    unsigned char bytes[12];
    memset(bytes, 0xFF, sizeof bytes);
    adtape_push_bytes(tape, bytes, sizeof bytes);
    seen.before_verify = pop_ones;
    HERE((void)adtape_pop_count(tape));
}

/* ---- check mode ----------------------------------------------------------------------------------------------------- */

static double three[3] = {3, 3, 3};
static void pop_three(void) { adtape_pop_array_f64(tape, three, 3); }
static void pop_one(void) { adtape_pop_f64(tape, three); }
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
MISMATCH(mismatch_array_as_scalar, adtape_push_array(tape, ADTAPE_TYPE_F64, three, 3), adtape_pop_f64(tape, target),
         pop_three)
MISMATCH(mismatch_more_than_there_is, adtape_push_array_f64(tape, three, 3), adtape_pop_array_f64(tape, target, 100),
         pop_three)
MISMATCH(mismatch_section, adtape_push_array_f64(tape, three, 3),
         adtape_pop_section(tape, ADTAPE_TYPE_F64, target, 2, extents_2x2, strides_2x2), pop_three)
MISMATCH(mismatch_width, adtape_push_control(tape, 0x55, 7), (void)adtape_pop_control(tape, 6), pop_bits)
MISMATCH(mismatch_value_for_bits, adtape_call_push_f64(tape, three), (void)adtape_pop_control(tape, 6), pop_one)
MISMATCH(mismatch_bits_for_value, adtape_call_push_control(tape, 0x55, 7), adtape_call_pop_f64(tape, target), pop_bits)
MISMATCH(mismatch_value_for_count, adtape_push_f64(tape, 3), (void)adtape_pop_count(tape), pop_one)
MISMATCH(mismatch_count_for_value, adtape_push_count(tape, 7), adtape_pop_i8(tape, (int8_t *)target), pop_counter)
MISMATCH(mismatch_many_bits, (adtape_push_control(tape, 0x55, 7)), (void)adtape_call_pop_control(tape, 64), pop_bits)

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
static void site_of_last_calls(void) {
    push_bits_at_the_end();
    seen.push_line = push_bits_line;
    seen.line = pop_count_line;
    seen.before_verify = pop_bits;
    (void)pop_count_at_the_end();
}
static void site_of_last_section(void) {
    push_section_at_the_end();
    seen.push_line = push_section_line;
    seen.line = pop_bits_line;
    seen.before_verify = pop_four;
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

/* ---- regions and marks ------------------------------------------------------------------------------------------------ */

static void repeat_reset_without_start(void) { returned(adtape_repeat_reset(tape)); }
static void repeat_end_without_start(void) { returned(adtape_repeat_end(tape)); }
static void mark_foreign(void) {
    adtape_mark_t mark;
    CHECK_OK(adtape_mark_take(adtape_self(), &mark));
    returned(adtape_mark_reset(tape, &mark));
}
static void marks_of_two_tapes(void) {
    adtape_mark_t a, b;
    int32_t order = 0;
    CHECK_OK(adtape_mark_take(tape, &a));
    CHECK_OK(adtape_mark_take(adtape_self(), &b));
    returned(adtape_mark_compare(&a, &b, &order));
}
static void mark_above_top(void) {
    adtape_mark_t mark;
    adtape_push_f64(tape, 3);
    CHECK_OK(adtape_mark_take(tape, &mark));
    pop_one();
    returned(adtape_mark_reset(tape, &mark));
}
static void mark_replaced(void) {
    adtape_mark_t mark;
    adtape_push_f64(tape, 3);
    CHECK_OK(adtape_mark_take(tape, &mark));
    pop_one();
    adtape_push_f64(tape, 3);
    seen.before_verify = pop_one;
    returned(adtape_mark_reset(tape, &mark));
}

/* ---- whose tape it is ------------------------------------------------------------------------------------------------- */

static void *push_on_this_thread(void *nothing) {
    (void)nothing;
    HERE(adtape_call_push_f64(other, &one));
    HERE(adtape_push_array(other, ADTAPE_TYPE_F64, target, 2000));
    return NULL;
}
static void on_another_thread(void *(*run)(void *)) {
    pthread_t thread;
    seen.elsewhere = 1;
    CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}
/* The fast path does not look at the owner; the first slow path does. In check mode that is every one. */
static void wrong_thread_push(void) {
    other = tape;
    on_another_thread(push_on_this_thread);
}
static void *look_on_this_thread(void *nothing) {
    adtape_stats_t stats;
    (void)nothing;
    returned(adtape_stats_get(other, &stats));
    return NULL;
}
static void wrong_thread_status(void) {
    other = tape;
    on_another_thread(look_on_this_thread);
}
static void *free_on_this_thread(void *nothing) {
    (void)nothing;
    returned(adtape_free(other));
    return NULL;
}
static void wrong_thread_free(void) {
    other = tape;
    on_another_thread(free_on_this_thread);
}
static void acquire_again(void) { CHECK_OK(adtape_acquire(tape)); }
static void released_push(void) {
    CHECK_OK(adtape_release(tape, &other));
    seen.before_verify = acquire_again;
    HERE(adtape_push_f64(tape, 1));
}
static void released_pop_control(void) {
    CHECK_OK(adtape_release(tape, &other));
    seen.before_verify = acquire_again;
    HERE((void)adtape_pop_control(tape, 5));
}
static void released_status(void) {
    adtape_mark_t mark;
    CHECK_OK(adtape_release(tape, &other));
    seen.before_verify = acquire_again;
    returned(adtape_mark_take(tape, &mark));
}
static void acquire_unreleased(void) { returned(adtape_acquire(tape)); }
static void attached_push(void) {
    CHECK_OK(adtape_attach(tape, &local));
    seen.before_verify = detach_local;
    HERE(adtape_push_f64(tape, 1));
}
static void attached_pop_array(void) {
    CHECK_OK(adtape_attach(tape, &local));
    seen.before_verify = detach_local;
    HERE(adtape_pop_array_f64(tape, target, 1));
}
static void attached_status(void) {
    CHECK_OK(adtape_attach(tape, &local));
    seen.before_verify = detach_local;
    returned(adtape_repeat_start(tape));
}
static void attached_release(void) {
    CHECK_OK(adtape_attach(tape, &local));
    seen.before_verify = detach_local;
    returned(adtape_release(tape, &other));
}
static void detach_unattached(void) {
    CHECK_OK(adtape_attach(tape, &local));
    CHECK_OK(adtape_detach(&local));
    returned(adtape_detach(&local));
}
static void local_after_detach(void) {
    CHECK_OK(adtape_attach(tape, &local));
    CHECK_OK(adtape_detach(&local));
    HERE(adtape_local_push_f64(&local, 1));
}

/* ---- memory and environment --------------------------------------------------------------------------------------------- */

static void memory_limit_by_call(void) {
    adtape_memory_t memory;
    CHECK_OK(adtape_session_memory(adtape_session_default(), &memory));
    CHECK_OK(adtape_session_set_memory_limit(adtape_session_default(), memory.committed_bytes + 50000));
    static double large[20000];
    HERE(adtape_push_array_f64(tape, large, 20000));
}
static void memory_limit_by_environment(void) {
    static double large[200000];
    HERE(adtape_push_array(tape, ADTAPE_TYPE_F64, large, 200000));
}
static void bad_environment(void) {
    adtape_t *t = NULL;
    returned(adtape_new(adtape_session_default(), &t));
    CHECK(t == NULL);
}
#define bad_check bad_environment
#define bad_profile bad_environment
#define bad_memory_limit bad_environment
#define bad_reserve bad_environment
#define bad_step bad_environment
#define bad_huge_pages bad_environment
static void bad_environment_push(void) { HERE(adtape_push_f64(adtape_self(), 1)); }

/* X(case, environment, status, how it ends) */
#define ERROR_CASES(X)                                                          \
    UNOPTIMISED_CASES(X)                                                        \
    X(null_handle_scalar, NULL, NULL_HANDLE, ABORTS)                            \
    X(null_handle_scalar_pop, NULL, NULL_HANDLE, ABORTS)                        \
    X(null_handle_array, NULL, NULL_HANDLE, ABORTS)                             \
    X(null_handle_section, NULL, NULL_HANDLE, ABORTS)                           \
    X(null_handle_control, NULL, NULL_HANDLE, ABORTS)                           \
    X(null_handle_count, NULL, NULL_HANDLE, ABORTS)                             \
    X(null_handle_status, NULL, NULL_HANDLE, RETURNS)                           \
    X(null_session, NULL, NULL_HANDLE, RETURNS)                                 \
    X(null_array, NULL, NULL_POINTER, ABORTS)                                   \
    X(null_array_pop, NULL, NULL_POINTER, ABORTS)                               \
    X(null_array_of_any_type, NULL, NULL_POINTER, ABORTS)                       \
    X(null_array_of_own_tape, NULL, NULL_POINTER, ABORTS)                       \
    X(null_bytes, NULL, NULL_POINTER, ABORTS)                                   \
    X(null_array_of_minus_one, NULL, COUNT_RANGE, ABORTS)                       \
    X(null_section, NULL, NULL_POINTER, ABORTS)                                 \
    X(null_extents, NULL, NULL_POINTER, ABORTS)                                 \
    X(null_strides, NULL, NULL_POINTER, ABORTS)                                 \
    X(null_result, NULL, NULL_POINTER, RETURNS)                                 \
    X(count_negative, NULL, COUNT_RANGE, ABORTS)                                \
    X(count_negative_pop, NULL, COUNT_RANGE, ABORTS)                            \
    X(count_negative_of_any_type, NULL, COUNT_RANGE, ABORTS)                    \
    X(count_least, NULL, COUNT_RANGE, ABORTS)                                   \
    X(count_absurd, NULL, COUNT_RANGE, ABORTS)                                  \
    X(count_absurd_pop, NULL, COUNT_RANGE, ABORTS)                              \
    X(count_absurd_of_any_type, NULL, COUNT_RANGE, ABORTS)                      \
    X(count_absurd_pop_of_any_type, NULL, COUNT_RANGE, ABORTS)                  \
    X(count_absurd_of_own_tape, NULL, COUNT_RANGE, ABORTS)                      \
    X(count_absurd_bytes, NULL, COUNT_RANGE, ABORTS)                            \
    X(section_too_large, NULL, COUNT_RANGE, ABORTS)                             \
    X(bits_none, NULL, BAD_ARGUMENT, ABORTS)                                    \
    X(bits_negative, NULL, BAD_ARGUMENT, ABORTS)                                \
    X(bits_65, NULL, BAD_ARGUMENT, ABORTS)                                      \
    X(bits_65_pop, NULL, BAD_ARGUMENT, ABORTS)                                  \
    X(bits_65_out_of_line, NULL, BAD_ARGUMENT, ABORTS)                          \
    X(bits_none_of_own_tape, NULL, BAD_ARGUMENT, ABORTS)                        \
    X(type_unknown, NULL, BAD_ARGUMENT, ABORTS)                                 \
    X(type_zero, NULL, BAD_ARGUMENT, ABORTS)                                    \
    X(type_of_control_array, NULL, BAD_ARGUMENT, ABORTS)                        \
    X(type_of_count_array, NULL, BAD_ARGUMENT, ABORTS)                          \
    X(section_type_unknown, NULL, BAD_ARGUMENT, ABORTS)                         \
    X(section_type_control, NULL, BAD_ARGUMENT, ABORTS)                         \
    X(section_rank_negative, NULL, BAD_ARGUMENT, ABORTS)                        \
    X(section_rank_16, NULL, BAD_ARGUMENT, ABORTS)                              \
    X(section_extent_negative, NULL, BAD_ARGUMENT, ABORTS)                      \
    X(trim_unknown, NULL, BAD_ARGUMENT, RETURNS)                                \
    X(operation_unknown, NULL, BAD_ARGUMENT, RETURNS)                           \
    X(descriptor_negative, NULL, BAD_ARGUMENT, RETURNS)                         \
    X(descriptor_not_open, NULL, IO, RETURNS)                                   \
    X(underflow_array, NULL, UNDERFLOW, ABORTS)                                 \
    X(underflow_array_of_any_type, NULL, UNDERFLOW, ABORTS)                     \
    X(underflow_array_of_own_tape, NULL, UNDERFLOW, ABORTS)                     \
    X(underflow_section, NULL, UNDERFLOW, ABORTS)                               \
    X(underflow_scalar, NULL, UNDERFLOW, ABORTS)                                \
    X(underflow_scalar_out_of_line, NULL, UNDERFLOW, ABORTS)                    \
    X(underflow_control, NULL, UNDERFLOW, ABORTS)                               \
    X(underflow_count, NULL, UNDERFLOW, ABORTS)                                 \
    X(underflow_local, NULL, UNDERFLOW, ABORTS)                                 \
    X(underflow_in_repeat, NULL, UNDERFLOW, ABORTS)                             \
    X(corrupt_control, NULL, CORRUPT, ABORTS)                                   \
    X(corrupt_count, NULL, CORRUPT, ABORTS)                                     \
    X(mismatch_type, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                        \
    X(mismatch_count, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                       \
    X(mismatch_array_as_scalar, "ADTAPE_CHECK=1", MISMATCH, ABORTS)             \
    X(mismatch_more_than_there_is, "ADTAPE_CHECK=1", MISMATCH, ABORTS)          \
    X(mismatch_section, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                     \
    X(mismatch_width, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                       \
    X(mismatch_value_for_bits, "ADTAPE_CHECK=1", MISMATCH, ABORTS)              \
    X(mismatch_bits_for_value, "ADTAPE_CHECK=1", MISMATCH, ABORTS)              \
    X(mismatch_value_for_count, "ADTAPE_CHECK=1", MISMATCH, ABORTS)             \
    X(mismatch_count_for_value, "ADTAPE_CHECK=1", MISMATCH, ABORTS)             \
    X(mismatch_many_bits, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                   \
    X(mismatch_local, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                       \
    X(site_of_last_calls, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                   \
    X(site_of_last_section, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                 \
    X(mismatch_nothing_left, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                \
    X(mismatch_no_bits_left, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                \
    X(mismatch_in_repeat, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                   \
    X(mismatch_with_push_in_repeat, "ADTAPE_CHECK=1", MISMATCH, ABORTS)         \
    X(mismatch_after_mark_reset, "ADTAPE_CHECK=1", MISMATCH, ABORTS)            \
    X(repeat_reset_without_start, NULL, REPEAT_UNBALANCED, RETURNS)             \
    X(repeat_end_without_start, NULL, REPEAT_UNBALANCED, RETURNS)               \
    X(mark_foreign, NULL, MARK_FOREIGN, RETURNS)                                \
    X(marks_of_two_tapes, NULL, MARK_FOREIGN, RETURNS)                          \
    X(mark_above_top, NULL, MARK_ABOVE_TOP, RETURNS)                            \
    X(mark_replaced, "ADTAPE_CHECK=1", MARK_ABOVE_TOP, RETURNS)                 \
    X(wrong_thread_push, "ADTAPE_CHECK=1", WRONG_THREAD, ABORTS)                \
    X(wrong_thread_status, NULL, WRONG_THREAD, RETURNS)                         \
    X(wrong_thread_free, NULL, WRONG_THREAD, RETURNS)                           \
    X(released_push, NULL, RELEASED, ABORTS)                                    \
    X(released_pop_control, NULL, RELEASED, ABORTS)                             \
    X(released_status, NULL, RELEASED, RETURNS)                                 \
    X(acquire_unreleased, NULL, RELEASED, RETURNS)                              \
    X(attached_push, NULL, ATTACHED, ABORTS)                                    \
    X(attached_pop_array, NULL, ATTACHED, ABORTS)                               \
    X(attached_status, NULL, ATTACHED, RETURNS)                                 \
    X(attached_release, NULL, ATTACHED, RETURNS)                                \
    X(detach_unattached, NULL, ATTACHED, RETURNS)                               \
    X(local_after_detach, NULL, ATTACHED, ABORTS)                               \
    X(memory_limit_by_call, NULL, MEMORY_LIMIT, ABORTS)                         \
    X(memory_limit_by_environment, "ADTAPE_MEMORY_LIMIT=1M", MEMORY_LIMIT, ABORTS) \
    X(bad_check, "ADTAPE_CHECK=maybe", BAD_ENVIRONMENT, RETURNS | BARE)         \
    X(bad_profile, "ADTAPE_PROFILE=2", BAD_ENVIRONMENT, RETURNS | BARE)         \
    X(bad_memory_limit, "ADTAPE_MEMORY_LIMIT=lots", BAD_ENVIRONMENT, RETURNS | BARE) \
    X(bad_reserve, "ADTAPE_RESERVE=-1", BAD_ENVIRONMENT, RETURNS | BARE)        \
    X(bad_step, "ADTAPE_STEP=12", BAD_ENVIRONMENT, RETURNS | BARE)              \
    X(bad_huge_pages, "ADTAPE_HUGE_PAGES=yes", BAD_ENVIRONMENT, RETURNS | BARE) \
    X(bad_environment_push, "ADTAPE_MEMORY_LIMIT=8X", BAD_ENVIRONMENT, ABORTS | BARE)
