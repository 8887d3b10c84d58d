/* errors_cases.h: cases of errors.c. Each provokes one error on `tape`, which is filled. */

/* ---- NULL -------------------------------------------------------------------------------------------- */

/* NULL and counts that are unknown to the compiler, which would warn. */
static void *volatile nothing_here;
#define NOTHING_HERE ((double *)nothing_here)
static volatile int64_t hidden;
#define COUNT(n) (hidden = (n), hidden)

static const double one = 1;
static double target[2000];
static double three[3] = {3, 3, 3};
static void pop_one(void) { adtape_pop_f64(tape, three); }
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
static void null_result(void) { returned(adtape_stats(tape, NULL)); }

/* ---- counts and arguments ---------------------------------------------------------------------------- */

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

/* ---- popping what is not there ----------------------------------------------------------------------- */

AT(underflow_array, adtape_pop_array_f64(tape, target, 1000))
AT(underflow_array_of_any_type, adtape_pop_array(tape, ADTAPE_TYPE_F64, target, 1000))
AT(underflow_array_of_own_tape, adtape_self_pop_array(ADTAPE_TYPE_I32, target, 10))
AT(underflow_record, adtape_pop_record_f64(tape, target, 8))
static void destroy_other(void) { CHECK_OK(adtape_destroy(other)); }
static void underflow_record_of_new_tape(void) {
    CHECK_OK(adtape_create(&other));
    seen.before_verify = destroy_other;
    HERE(adtape_pop_record_f64(other, target, 8));
}
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

/* ---- regions and marks ------------------------------------------------------------------------------- */

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
    returned(adtape_mark_compare(&a, &b, &order, NULL));
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

/* ---- whose tape it is -------------------------------------------------------------------------------- */

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
/* The fast path does not check the owner; the first slow path does. In check mode that is every one. */
static void wrong_thread_push(void) {
    other = tape;
    on_another_thread(push_on_this_thread);
}
static void *look_on_this_thread(void *nothing) {
    adtape_stats_t stats;
    (void)nothing;
    returned(adtape_stats(other, &stats));
    return NULL;
}
static void wrong_thread_status(void) {
    other = tape;
    on_another_thread(look_on_this_thread);
}
static void *free_on_this_thread(void *nothing) {
    (void)nothing;
    returned(adtape_destroy(other));
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

/* ---- memory and environment -------------------------------------------------------------------------- */

static void memory_limit_by_call(void) {
    adtape_memory_t memory;
    CHECK_OK(adtape_process_memory(&memory));
    CHECK_OK(adtape_process_set_memory_limit(memory.committed_bytes + 50000));
    static double large[20000];
    HERE(adtape_push_array_f64(tape, large, 20000));
}
static void memory_limit_by_environment(void) {
    static double large[200000];
    HERE(adtape_push_array(tape, ADTAPE_TYPE_F64, large, 200000));
}
static void bad_environment(void) {
    adtape_t *t = NULL;
    returned(adtape_create(&t));
    CHECK(t == NULL);
}
#define bad_check bad_environment
#define bad_profile bad_environment
#define bad_memory_limit bad_environment
#define bad_reserve bad_environment
#define bad_step bad_environment
#define bad_huge_pages bad_environment
static void bad_environment_push(void) { HERE(adtape_push_f64(adtape_self(), 1)); }
