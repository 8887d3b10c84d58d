/* Statistics: sizes always, traffic by type and operation in profile mode. */
#include <signal.h>
#include <unistd.h>

#include "child.h"

#include "types.h"

static uint64_t random_state = 5;

static adtape_traffic_t traffic_of(adtape_t *t, adtape_type_t type, int32_t operation) {
    adtape_traffic_t traffic;
    memset(&traffic, 0xEE, sizeof traffic);
    CHECK_OK(adtape_stats_traffic(t, type, operation, &traffic));
    return traffic;
}

static void check_traffic(adtape_t *t, adtape_type_t type, int32_t operation, uint64_t calls, uint64_t elements,
                          uint64_t bytes) {
    const adtape_traffic_t traffic = traffic_of(t, type, operation);
    CHECK_U64(traffic.calls, calls);
    CHECK_U64(traffic.elements, elements);
    CHECK_U64(traffic.bytes, bytes);
}

static void new_tape_is_empty_and_without_memory(void) {
    adtape_t *t = new_tape();
    const adtape_stats_t stats = stats_of(t);
    CHECK_U64(stats.bytes + stats.peak_bytes + stats.pending_bits + stats.repeat_depth + stats.moves, 0);
    CHECK_U64(stats.committed_bytes + stats.reserved_bytes + stats.spilled_bytes, 0);
    CHECK_OK(adtape_destroy(t));
}

static void ask_null(void *nothing) {
    (void)nothing;
    (void)adtape_is_empty(NULL);
}

static void empty_is_said_of_values_and_of_bits(void) {
    adtape_t *t = new_tape();
    double x = 0;
    CHECK(adtape_is_empty(t) == true);
    adtape_push_control(t, 1, 1);
    CHECK(adtape_is_empty(t) == false);
    CHECK_U64(adtape_pop_control(t, 1), 1);
    for (int i = 0; i < 100000; i++) {
        adtape_push_f64(t, i);
        CHECK(adtape_is_empty(t) == false);
    }
    for (int i = 0; i < 100000; i++) {
        CHECK(adtape_is_empty(t) == false);
        adtape_pop_f64(t, &x);
    }
    CHECK(adtape_is_empty(t) == true);
    CHECK_OK(adtape_destroy(t));
    const child_t child = in_child(ask_null, NULL);
    CHECK_SIGNAL(child, SIGABRT);
    CHECK_HAS(child.text, "handle is NULL");
}

/* Never less than the truth, and at most a page or a 64th more. */
static void check_peak(adtape_t *t, uint64_t truth) {
    const adtape_stats_t stats = stats_of(t);
    const uint64_t slack = truth / 64 > 4096 ? truth / 64 : 4096;
    CHECK((uint64_t)stats.peak_bytes >= truth);
    CHECK((uint64_t)stats.peak_bytes <= truth + slack);
    CHECK(stats.committed_bytes >= stats.bytes && stats.reserved_bytes >= stats.committed_bytes);
}

static void peak_is_known_to_a_64th(void) {
    adtape_t *t = new_tape();
    uint64_t most = 0;
    for (uint64_t peak = 1000; peak < 3000000; peak = peak * 3) {
        double x = 0;
        for (uint64_t i = 0; i < peak / 8; i++) {
            adtape_push_f64(t, (double)i);
        }
        CHECK_U64(stats_of(t).bytes, peak / 8 * 8);
        for (uint64_t i = peak / 8; i-- > 0;) {
            adtape_pop_f64(t, &x);
            CHECK_F64(x, (double)i);
        }
        most = peak / 8 * 8;
        check_peak(t, most);
    }
    adtape_push_f64(t, 1);
    check_peak(t, most);
    CHECK_OK(adtape_stats_reset(t));
    check_peak(t, 8);
    CHECK_U64(stats_of(t).bytes, 8);
    for (int i = 0; i < 100000; i++) {
        adtape_push_f64(t, i);
    }
    check_peak(t, 800008);
    CHECK_OK(adtape_destroy(t));
}

static void pending_bits_are_told(void) {
    adtape_t *t = new_tape();
    for (uint64_t i = 1; i <= 200; i++) {
        adtape_push_control(t, i & 1, 1);
        CHECK_U64(stats_of(t).pending_bits, i % 62);
        CHECK_U64(stats_of(t).bytes, i / 62 * 8);
    }
    CHECK_OK(adtape_destroy(t));
}

static void profile_counts_calls_elements_and_bytes_by_type(void) {
    enum { LENGTH = 7 };
    adtape_t *t = new_tape();
    unsigned char values[LENGTH * TYPES_MOST_BYTES];
    const int64_t extents[2] = {3, 2};
    uint64_t all_bytes = 0;
    CHECK_OK(adtape_stats_set_profile(t, true));
    for (int i = 0; i < TYPES; i++) {
        const type_row_t *type = &types[i];
        const int64_t strides[2] = {(int64_t)type->bytes, 3 * (int64_t)type->bytes};
        random_values(&random_state, type, values, LENGTH);
        type->push(t, values);
        type->call_push(t, values);
        type->push_array(t, values, LENGTH);
        type->push_array(t, values, 0);
        adtape_push_array(t, type->type, values, 2);
        adtape_push_section(t, type->type, values, 2, extents, strides);
        check_traffic(t, type->type, ADTAPE_OPERATION_PUSH, 5, 17, 17 * type->bytes);
        check_traffic(t, type->type, ADTAPE_OPERATION_POP, 0, 0, 0);
        adtape_pop_section(t, type->type, values, 2, extents, strides);
        type->pop_array(t, values, 2);
        type->pop_array(t, values, LENGTH);
        check_traffic(t, type->type, ADTAPE_OPERATION_POP, 3, 15, 15 * type->bytes);
        all_bytes += 17 * type->bytes;
    }
    adtape_push_control(t, 1, 5);
    adtape_push_control(t, 1, 64);
    check_traffic(t, ADTAPE_TYPE_CONTROL, ADTAPE_OPERATION_PUSH, 2, 69, 0);
    CHECK_U64(adtape_pop_control(t, 64), 1);
    check_traffic(t, ADTAPE_TYPE_CONTROL, ADTAPE_OPERATION_POP, 1, 64, 0);
    adtape_push_count(t, 100);
    adtape_push_count(t, 1000);
    CHECK_I64(adtape_pop_count(t), 1000);
    CHECK_I64(traffic_of(t, ADTAPE_TYPE_COUNT, ADTAPE_OPERATION_PUSH).bytes, 3);
    CHECK_I64(traffic_of(t, ADTAPE_TYPE_COUNT, ADTAPE_OPERATION_POP).bytes, 2);
    adtape_push_bytes(t, values, 11);
    check_traffic(t, ADTAPE_TYPE_BYTES, ADTAPE_OPERATION_PUSH, 1, 11, 11);
    const adtape_traffic_t all = traffic_of(t, 0, ADTAPE_OPERATION_PUSH);
    CHECK_U64(all.calls, 5 * TYPES + 5);
    CHECK_U64(all.bytes, all_bytes + 3 + 11);

    CHECK_OK(adtape_stats_reset(t));
    check_traffic(t, 0, ADTAPE_OPERATION_PUSH, 0, 0, 0);
    check_traffic(t, 0, ADTAPE_OPERATION_POP, 0, 0, 0);
    adtape_push_f64(t, 1);
    check_traffic(t, ADTAPE_TYPE_F64, ADTAPE_OPERATION_PUSH, 1, 1, 8);
    CHECK_OK(adtape_stats_set_profile(t, true));
    check_traffic(t, ADTAPE_TYPE_F64, ADTAPE_OPERATION_PUSH, 1, 1, 8);
    CHECK_OK(adtape_stats_set_profile(t, false));
    check_traffic(t, 0, ADTAPE_OPERATION_PUSH, 0, 0, 0);
    CHECK_OK(adtape_destroy(t));
}

/* Turning it on and off in the middle of a sweep changes nothing on the tape. */
static void profile_mode_can_be_switched_at_any_time(void) {
    adtape_t *t = new_tape();
    for (int i = 0; i < 5000; i++) {
        if (i % 100 == 0) {
            CHECK_OK(adtape_stats_set_profile(t, i / 100 % 2 == 0));
        }
        adtape_push_f64(t, i);
        adtape_push_control(t, (uint64_t)i & 31, 5);
    }
    for (int i = 4999; i >= 0; i--) {
        double x = -1;
        if (i % 70 == 0) {
            CHECK_OK(adtape_stats_set_profile(t, i / 70 % 2 == 0));
        }
        CHECK_U64(adtape_pop_control(t, 5), (uint64_t)i & 31);
        adtape_pop_f64(t, &x);
        CHECK_F64(x, i);
    }
    CHECK_OK(adtape_destroy(t));
}

static void environment_turns_profile_mode_on(void) {
    adtape_t *t = new_tape();
    const uint64_t expected = environment_has("ADTAPE_PROFILE");
    adtape_push_f64(t, 1);
    check_traffic(t, ADTAPE_TYPE_F64, ADTAPE_OPERATION_PUSH, expected, expected, 8 * expected);
    CHECK_OK(adtape_destroy(t));
}

static void report_names_what_the_tape_holds(void) {
    adtape_t *t = new_tape();
    int channel[2];
    char text[4096];
    CHECK(pipe(channel) == 0);
    CHECK_OK(adtape_stats_set_profile(t, true));
    for (int i = 0; i < 1000; i++) {
        adtape_push_f64(t, i);
    }
    adtape_push_count(t, 3);
    CHECK_OK(adtape_stats_print(t, channel[1]));
    close(channel[1]);
    const ssize_t n = read(channel[0], text, sizeof text - 1);
    CHECK(n > 0);
    text[n] = '\0';
    close(channel[0]);
    static const char *const parts[] = {"8001 bytes", "f64", "1000", "8000", "count"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        CHECK_HAS(text, parts[i]);
    }
    CHECK(strstr(text, "complex") == NULL);
    CHECK_U64(stats_of(t).bytes, 8001);
    CHECK_OK(adtape_destroy(t));
}

static void misuse_is_refused(void) {
    adtape_t *t = new_tape();
    adtape_traffic_t traffic;
    adtape_stats_t stats;
    adtape_push_f64(t, 2.5);
    CHECK_FAILS(adtape_stats(NULL, &stats), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_stats(t, NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    CHECK_FAILS(adtape_stats_set_profile(NULL, true), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_stats_reset(NULL), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_stats_print(NULL, 2), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_stats_print(t, -1), ADTAPE_STATUS_BAD_ARGUMENT, "-1");
    CHECK_FAILS(adtape_stats_print(t, 987), ADTAPE_STATUS_IO, "987");
    CHECK_FAILS(adtape_stats_traffic(NULL, 0, 0, &traffic), ADTAPE_STATUS_NULL_HANDLE, "handle is NULL");
    CHECK_FAILS(adtape_stats_traffic(t, 0, 0, NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    CHECK_FAILS(adtape_stats_traffic(t, 99, 0, &traffic), ADTAPE_STATUS_BAD_ARGUMENT, "99");
    CHECK_FAILS(adtape_stats_traffic(t, -1, 0, &traffic), ADTAPE_STATUS_BAD_ARGUMENT, "-1");
    CHECK_FAILS(adtape_stats_traffic(t, 0, 2, &traffic), ADTAPE_STATUS_BAD_ARGUMENT, "operation");
    CHECK(strcmp(adtape_type_name(0), "unknown type") == 0);
    CHECK(strcmp(adtape_type_name(ADTAPE_TYPE_DESCRIPTOR + 1), "unknown type") == 0);
    CHECK(strcmp(adtape_type_name(ADTAPE_TYPE_COMPLEX_F128), "complex_f128") == 0);
    double x = 0;
    adtape_pop_f64(t, &x);
    CHECK_F64(x, 2.5);
    CHECK_OK(adtape_destroy(t));
}

int main(void) {
    new_tape_is_empty_and_without_memory();
    empty_is_said_of_values_and_of_bits();
    peak_is_known_to_a_64th();
    pending_bits_are_told();
    profile_counts_calls_elements_and_bytes_by_type();
    profile_mode_can_be_switched_at_any_time();
    environment_turns_profile_mode_on();
    report_names_what_the_tape_holds();
    misuse_is_refused();
    return 0;
}
