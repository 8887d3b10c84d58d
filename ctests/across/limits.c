/* What happens when there is not enough: address space (`ulimit -v`), memory (`ulimit -d`), the memory limit.
 *
 *   limits            all cases, each in a process of its own, under the limit it is for
 *   limits --list     the cases, one a line
 *   limits <case>     that case, in this process, which is under the limit already
 *
 * Every case that ends in an error checks in the error handler that nothing is lost: all that was pushed before is
 * popped and compared. */
#include <sys/resource.h>

#include "child.h"

/* ---- a stream of pushes that can be checked backwards ------------------------------------------------ */

static adtape_t *tape;
static uint64_t pushed; /* how many */
static adtape_status_t expected_status;
static const char *const *expected_parts;

enum { KINDS = 5, LENGTH = 1000 };

static void make_array(double *x, uint64_t n) {
    for (int i = 0; i < LENGTH; i++) {
        x[i] = (double)(n * 7 + (uint64_t)i);
    }
}

static void push_next(void) {
    static const int64_t extents[2] = {LENGTH / 4, 4}, strides[2] = {8, LENGTH / 4 * 8};
    double x[LENGTH];
    const uint64_t n = pushed;
    switch (n % KINDS) {
    case 0: adtape_push_f64(tape, (double)n); break;
    case 1: adtape_push_control(tape, n, 64); break;
    case 2: adtape_push_count(tape, (int64_t)n - 50); break;
    case 3:
        make_array(x, n);
        adtape_push_array_f64(tape, x, LENGTH);
        break;
    default:
        make_array(x, n);
        adtape_push_section(tape, ADTAPE_TYPE_F64, x, 2, extents, strides);
    }
    pushed = n + 1;
}

static void pop_all(void) {
    double x[LENGTH], y[LENGTH];
    while (pushed > 0) {
        const uint64_t n = --pushed;
        switch (n % KINDS) {
        case 0:
            adtape_pop_f64(tape, x);
            CHECK_F64(x[0], (double)n);
            break;
        case 1: CHECK_U64(adtape_pop_control(tape, 64), n); break;
        case 2: CHECK_I64(adtape_pop_count(tape), (int64_t)n - 50); break;
        default:
            make_array(x, n);
            adtape_pop_array_f64(tape, y, LENGTH);
            CHECK_SAME(y, x, sizeof x);
        }
    }
    CHECK_U64(stats_of(tape).bytes + stats_of(tape).pending_bits, 0);
}

/* ---- errors ------------------------------------------------------------------------------------------ */

static void handler(adtape_status_t status, const char *message, void *user) {
    char text[4000];
    (void)user;
    snprintf(text, sizeof text, "%s", message);
    CHECK_STATUS(status, expected_status);
    CHECK_HAS(text, "limits.c:");
    for (const char *const *part = expected_parts; *part != NULL; part++) {
        CHECK_HAS(text, *part);
    }
    CHECK(pushed > 0);
    printf("%s\n", text);
    const uint64_t at_error = pushed;
    pop_all();
    /* What there was room for is there still. */
    while (pushed < at_error) {
        push_next();
    }
    pop_all();
    exit(0);
}

static void expect(adtape_status_t status, const char *const *parts) {
    expected_status = status;
    expected_parts = parts;
    CHECK_OK(adtape_process_set_error_handler(handler, NULL));
}

static void push_until_refused(uint64_t most_bytes) {
    tape = new_tape();
    while ((uint64_t)stats_of(tape).bytes < most_bytes) {
        push_next();
    }
    check_failed(__FILE__, __LINE__, "%" PRIu64 " bytes were pushed and nothing refused them", stats_of(tape).bytes);
}

static uint64_t limit_of(int resource) {
    struct rlimit limit;
    CHECK(getrlimit((__rlimit_resource_t)resource, &limit) == 0);
    CHECK(limit.rlim_cur != RLIM_INFINITY);
    return limit.rlim_cur;
}

/* ---- address space ----------------------------------------------------------------------------------- */

/* The usual reservation is refused; a smaller one does, and the tape moves when it outgrows it. */
static void small_address_space_is_enough_for_a_small_tape(void) {
    const uint64_t limit = limit_of(RLIMIT_AS);
    tape = new_tape();
    while ((uint64_t)stats_of(tape).bytes < limit / 4) {
        push_next();
    }
    const adtape_stats_t stats = stats_of(tape);
    CHECK((uint64_t)stats.reserved_bytes < limit && stats.moves > 0);
    pop_all();
    CHECK(malloc(limit / 16) != NULL); /* the program has room left beside it */
}

static void many_tapes_share_a_small_address_space(void) {
    enum { TAPES = 30 };
    adtape_t *tapes[TAPES];
    for (int i = 0; i < TAPES; i++) {
        tapes[i] = new_tape();
        for (int n = 0; n < 20000; n++) {
            adtape_push_i32(tapes[i], n + i);
        }
    }
    for (int i = 0; i < TAPES; i++) {
        for (int n = 19999; n >= 0; n--) {
            int32_t value = -1;
            adtape_pop_i32(tapes[i], &value);
            CHECK_I64(value, n + i);
        }
        CHECK_OK(adtape_destroy(tapes[i]));
    }
}

static void exhausted_address_space_is_an_error_that_loses_nothing(void) {
    static const char *const parts[] = {"the system refuses", "address space", "RLIMIT_AS", "ulimit -v", "tape less",
                                        NULL};
    expect(ADTAPE_STATUS_OUT_OF_MEMORY, parts);
    push_until_refused(limit_of(RLIMIT_AS));
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static void refused_memory_is_an_error_that_loses_nothing(void) {
    static const char *const parts[] = {"the system refuses", "memory", "RLIMIT_DATA", "ulimit -d", "tape less", NULL};
    expect(ADTAPE_STATUS_OUT_OF_MEMORY, parts);
    push_until_refused(limit_of(RLIMIT_DATA));
}

/* Steps are halved down to what is needed, so that nearly all there is can be used. */
static void memory_is_used_up_before_it_is_refused(void) {
    const uint64_t limit = limit_of(RLIMIT_DATA);
    tape = new_tape();
    while ((uint64_t)stats_of(tape).bytes < limit / 10 * 9 - (UINT64_C(8) << 20)) {
        push_next();
    }
    pop_all();
}

/* ---- the memory limit -------------------------------------------------------------------------------- */

static const char *const limit_parts[] = {"need", "bytes) more and have", "exceeds the memory limit of 8.00 MiB",
                                          "ADTAPE_MEMORY_LIMIT", "adtape_process_set_memory_limit", "ADTAPE_SPILL_DIRECTORY",
                                          "tape less", NULL};

static void limit_by_environment_is_an_error_that_loses_nothing(void) {
    adtape_memory_t memory;
    CHECK_OK(adtape_process_memory(&memory));
    CHECK_U64(memory.limit_bytes, 8 << 20);
    expect(ADTAPE_STATUS_MEMORY_LIMIT, limit_parts);
    push_until_refused(8 << 20);
}

static void limit_by_call_is_an_error_that_loses_nothing(void) {
    CHECK_OK(adtape_process_set_memory_limit(8 << 20));
    expect(ADTAPE_STATUS_MEMORY_LIMIT, limit_parts);
    push_until_refused(8 << 20);
}

/* Of all tapes together; what one gives back another may have. */
static void limit_is_that_of_all_tapes(void) {
    static double x[LENGTH];
    adtape_memory_t memory;
    CHECK_OK(adtape_process_set_memory_limit(8 << 20));
    adtape_t *first = new_tape();
    for (int i = 0; i < 600; i++) {
        adtape_push_array_f64(first, x, LENGTH);
    }
    CHECK_OK(adtape_process_memory(&memory));
    CHECK(memory.committed_bytes >= 4800000 && memory.committed_bytes <= memory.limit_bytes);
    CHECK_OK(adtape_destroy(first));
    tape = new_tape();
    while ((uint64_t)stats_of(tape).bytes < 7 << 20) {
        push_next();
    }
    CHECK_OK(adtape_process_memory(&memory));
    CHECK(memory.peak_committed_bytes <= memory.limit_bytes);
    pop_all();
}

/* In check mode and while a local cursor has the tape, too. */
static adtape_local_t local;
static int64_t pushed_locally;

static void handler_of_local(adtape_status_t status, const char *message, void *user) {
    (void)user;
    CHECK_STATUS(status, ADTAPE_STATUS_MEMORY_LIMIT);
    CHECK_HAS(message, "limits.c:");
    CHECK_OK(adtape_detach(&local));
    CHECK(pushed_locally > 100000);
    while (pushed_locally > 0) {
        int64_t value = -1;
        adtape_pop_i64(tape, &value);
        CHECK_I64(value, --pushed_locally);
    }
    CHECK_U64(stats_of(tape).bytes, 0);
    exit(0);
}

static void limit_met_by_a_local_cursor_loses_nothing(void) {
    tape = new_tape();
    CHECK_OK(adtape_process_set_memory_limit(8 << 20));
    CHECK_OK(adtape_process_set_error_handler(handler_of_local, NULL));
    CHECK_OK(adtape_attach(tape, &local));
    for (pushed_locally = 0; pushed_locally < 1 << 21; pushed_locally++) {
        adtape_local_push_i64(&local, pushed_locally);
    }
    CHECK(!"the limit was not met");
}

/* What is pushed inside a region lies above what it protects; the limit is met there like anywhere. */
static void handler_in_region(adtape_status_t status, const char *message, void *user) {
    (void)message;
    (void)user;
    CHECK_STATUS(status, ADTAPE_STATUS_MEMORY_LIMIT);
    CHECK_OK(adtape_repeat_reset(tape));
    CHECK_OK(adtape_repeat_end(tape));
    pushed = 500;
    pop_all();
    exit(0);
}

static void limit_met_inside_a_repeat_region_loses_nothing(void) {
    static double x[LENGTH];
    tape = new_tape();
    while (pushed < 500) {
        push_next();
    }
    CHECK_OK(adtape_process_set_memory_limit(8 << 20));
    CHECK_OK(adtape_process_set_error_handler(handler_in_region, NULL));
    CHECK_OK(adtape_repeat_start(tape));
    pop_all();
    for (int i = 0; i < 2000; i++) {
        adtape_push_array_f64(tape, x, LENGTH);
    }
    CHECK(!"the limit was not met");
}

/* ---- the cases --------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *shell; /* what sets the limit */
    void (*run)(void);
} cases[] = {
#define ROW(name, shell) {#name, shell, name}
    ROW(small_address_space_is_enough_for_a_small_tape, "ulimit -v 200000"),
    ROW(many_tapes_share_a_small_address_space, "ulimit -v 200000"),
    ROW(exhausted_address_space_is_an_error_that_loses_nothing, "ulimit -v 150000"),
    ROW(refused_memory_is_an_error_that_loses_nothing, "ulimit -d 60000"),
    ROW(memory_is_used_up_before_it_is_refused, "ulimit -d 60000"),
    ROW(limit_by_environment_is_an_error_that_loses_nothing, "export ADTAPE_MEMORY_LIMIT=8M"),
    ROW(limit_by_call_is_an_error_that_loses_nothing, ":"),
    ROW(limit_is_that_of_all_tapes, ":"),
    ROW(limit_met_by_a_local_cursor_loses_nothing, ":"),
    ROW(limit_met_inside_a_repeat_region_loses_nothing, ":"),
};

enum { CASES = sizeof cases / sizeof cases[0] };

int main(int argc, char **argv) {
    for (int i = 0; i < CASES; i++) {
        if (argc == 1) {
            char command[1000];
            snprintf(command, sizeof command, "%s && exec '%s' %s >/dev/null", cases[i].shell, argv[0], cases[i].name);
            if (system(command) != 0) {
                check_failed(__FILE__, __LINE__, "%s", command);
            }
        } else if (strcmp(argv[1], "--list") == 0) {
            printf("%s: %s\n", cases[i].name, cases[i].shell);
        } else if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    }
    if (argc > 1 && strcmp(argv[1], "--list") != 0) {
        fprintf(stderr, "there is no case %s\n", argv[1]);
        return 2;
    }
    return 0;
}
