/* check.h: what the C tests check with. A check that fails prints place, expression and values, and ends the
 * program with status 1; a program that cannot run here says so and ends with status 77. */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adtape.h"

#define CHECK_UNUSED_ __attribute__((unused))

/* Called before a failed check ends the program: prints what led to it. */
static CHECK_UNUSED_ void (*check_context)(void) = NULL;

CHECK_UNUSED_ __attribute__((noreturn, format(printf, 3, 4))) static void
check_failed(const char *file, int line, const char *format, ...) {
    va_list values;
    fflush(stdout);
    fprintf(stderr, "%s:%d: check failed: ", file, line);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    if (check_context != NULL) {
        check_context();
    }
    exit(1);
}

CHECK_UNUSED_ __attribute__((noreturn, format(printf, 1, 2))) static void skip(const char *format, ...) {
    va_list values;
    printf("SKIPPED: ");
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    printf("\n");
    exit(77);
}

CHECK_UNUSED_ static void check_status(const char *file, int line, const char *call, adtape_status_t actual,
                                       adtape_status_t expected) {
    if (actual != expected) {
        check_failed(file, line, "%s is %s, expected %s; last message: %s", call, adtape_status_name(actual),
                     adtape_status_name(expected), adtape_error_message());
    }
}

CHECK_UNUSED_ static void check_has(const char *file, int line, const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        check_failed(file, line, "\"%s\" is not in \"%s\"", part, text);
    }
}

CHECK_UNUSED_ static void check_bytes(const char *file, int line, const char *what, const void *actual,
                                      const void *expected, size_t bytes) {
    const unsigned char *a = (const unsigned char *)actual, *e = (const unsigned char *)expected;
    for (size_t i = 0; i < bytes; i++) {
        if (a[i] != e[i]) {
            check_failed(file, line, "byte %zu of the %zu of %s is 0x%02x, expected 0x%02x", i, bytes, what, a[i],
                         e[i]);
        }
    }
}

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, "%s", #condition))

#define CHECK_VALUES_(T, format, actual, expected)                                                            \
    do {                                                                                                      \
        const T check_a_ = (actual), check_e_ = (expected);                                                   \
        if (!(check_a_ == check_e_)) {                                                                        \
            check_failed(__FILE__, __LINE__, "%s is %" format ", expected %s, %" format, #actual, check_a_, #expected, \
                         check_e_);                                                                           \
        }                                                                                                     \
    } while (0)
#define CHECK_I64(actual, expected) CHECK_VALUES_(int64_t, PRId64, actual, expected)
#define CHECK_U64(actual, expected) CHECK_VALUES_(uint64_t, PRIu64, actual, expected)
#define CHECK_F64(actual, expected) CHECK_VALUES_(double, ".17g", actual, expected)

/* `call` returns an adtape_status_t. */
#define CHECK_STATUS(call, expected) check_status(__FILE__, __LINE__, #call, call, expected)
#define CHECK_OK(call) CHECK_STATUS(call, ADTAPE_STATUS_OK)
#define CHECK_HAS(text, part) check_has(__FILE__, __LINE__, text, part)
#define CHECK_SAME(actual, expected, bytes) check_bytes(__FILE__, __LINE__, #actual, actual, expected, bytes)

/* A call that must fail with `status`, and a message that has `part` in it. */
#define CHECK_FAILS(call, status, part)             \
    do {                                            \
        CHECK_STATUS(call, status);                 \
        CHECK_HAS(adtape_error_message(), part);    \
    } while (0)

/* ---- figures that many tests look at ----------------------------------------------------------------- */

CHECK_UNUSED_ static adtape_stats_t stats_of(adtape_t *t) {
    adtape_stats_t stats;
    memset(&stats, 0, sizeof stats);
    CHECK_OK(adtape_stats(t, &stats));
    return stats;
}

CHECK_UNUSED_ static adtape_t *new_tape(void) {
    adtape_t *t = NULL;
    CHECK_OK(adtape_create(&t));
    CHECK(t != NULL);
    return t;
}

CHECK_UNUSED_ static void push_doubles(adtape_t *t, int count) {
    for (int i = 0; i < count; i++) {
        adtape_push_f64(t, i);
    }
}

CHECK_UNUSED_ static void pop_doubles(adtape_t *t, int count) {
    for (int i = count - 1; i >= 0; i--) {
        double x = -1;
        adtape_pop_f64(t, &x);
        CHECK_F64(x, i);
    }
}

/* Whether an environment variable has a value other than 0. */
CHECK_UNUSED_ static int environment_has(const char *name) {
    const char *value = getenv(name);
    return value != NULL && *value != '\0' && strcmp(value, "0") != 0;
}

/* ---- random numbers ---------------------------------------------------------------------------------- */

/* splitmix64: every state is a good one. */
CHECK_UNUSED_ static uint64_t random_word(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* 0 to n - 1. */
CHECK_UNUSED_ static uint64_t random_below(uint64_t *state, uint64_t n) { return random_word(state) % n; }

CHECK_UNUSED_ static void random_bytes(uint64_t *state, void *bytes, size_t n) {
    unsigned char *to = (unsigned char *)bytes;
    for (size_t i = 0; i < n; i++) {
        to[i] = (unsigned char)(random_word(state) >> 56);
    }
}

#endif
