/* example.h: what the example programs do around their adjoints.
 *
 * Reproducible data (the same in C and in Fortran), checks that decide the exit status, and the state of the
 * tape. Output is one fact a line, `label: value`, so that people and tests read the same text. A file that
 * includes this header is one whole program. */
#ifndef ADTAPE_EXAMPLE_H
#define ADTAPE_EXAMPLE_H

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "adtape.h"

/* ---- data --------------------------------------------------------------------------------------- */

/* The k-th of a sequence spread evenly over [-1, 1): multiples of the golden ratio modulo 1. No seed and no
 * state, so that a program in another language has the same numbers. */
static inline double noise(int64_t k) {
    const double turns = (double)k * 0.618033988749894903;
    return 2.0 * (turns - floor(turns)) - 1.0;
}

/* Memory or the end of the program. */
static inline void *allocate(int64_t count, size_t bytes_each) {
    void *memory = calloc((size_t)count, bytes_each);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %" PRId64 " elements of %zu bytes\n", count, bytes_each);
        exit(2);
    }
    return memory;
}

/* The program's argument number i as a count of at least 1, or what is used without it. */
static inline int64_t argument(int argc, char **argv, int i, int64_t otherwise) {
    char *end;
    long long value;
    if (i >= argc) {
        return otherwise;
    }
    value = strtoll(argv[i], &end, 10);
    if (*argv[i] == '\0' || *end != '\0' || value < 1) {
        fprintf(stderr, "argument %d is \"%s\", not a positive count\n", i, argv[i]);
        exit(2);
    }
    return value;
}

static inline double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- results ------------------------------------------------------------------------------------ */

static int failures_;

/* The larger of two errors; a NaN, once met, stays. */
static inline double larger(double a, double b) { return isnan(a) || a >= b ? a : b; }

static inline void report_count(const char *label, uint64_t value) { printf("%s: %" PRIu64 "\n", label, value); }
static inline void report_real(const char *label, double value) { printf("%s: %.6g\n", label, value); }

/* `error` is at most `tolerance`; a NaN is not. */
static inline void check_error(const char *label, double error, double tolerance) {
    const int passed = error <= tolerance;
    failures_ += !passed;
    printf("%s: %s, error %.1e, allowed %.1e\n", label, passed ? "passed" : "FAILED", error, tolerance);
}
/* Two numbers agree relative to `scale`, the sum of the magnitudes that were added up to form them. */
static inline void check_close(const char *label, double got, double expected, double scale, double tolerance) {
    check_error(label, got == expected ? 0.0 : fabs(got - expected) / scale, tolerance);
}
static inline void check_count(const char *label, uint64_t got, uint64_t expected) {
    failures_ += got != expected;
    if (got == expected) {
        printf("%s: %" PRIu64 ", as expected\n", label, got);
    } else {
        printf("%s: %" PRIu64 ", FAILED, expected %" PRIu64 "\n", label, got, expected);
    }
}
static inline void check_same_bits(const char *label, const double *a, const double *b, int64_t count) {
    const int passed = memcmp(a, b, (size_t)count * sizeof *a) == 0;
    failures_ += !passed;
    printf("%s: %s\n", label, passed ? "passed" : "FAILED");
}

/* The exit status of main. */
static inline int finish(void) {
    printf("%s\n", failures_ == 0 ? "all checks passed" : "SOME CHECKS FAILED");
    return failures_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- the tape ----------------------------------------------------------------------------------- */

/* Ends the program if a call of the library that returns a status failed. */
static inline void expect_ok(adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        fprintf(stderr, "%s\n", adtape_error_message());
        exit(2);
    }
}
/* Bytes on the tape now, control bits that do not yet fill a word counted in whole bytes. */
static inline uint64_t tape_bytes(adtape_t *t) {
    adtape_stats_t stats;
    expect_ok(adtape_stats(t, &stats));
    return stats.bytes + (stats.pending_bits + 7) / 8;
}
/* Between two sweeps that match the tape is empty. */
static inline void check_tape_empty(const char *label, adtape_t *t) {
    check_count(label, tape_bytes(t), 0);
}
/* And nothing is alive that the forward sweep made, and no pointer waits. */
static inline void check_nothing_left(adtape_t *t) {
    adtape_live_stats_t stats;
    check_tape_empty("bytes on the tape after the adjoint", t);
    expect_ok(adtape_live_stats(NULL, &stats));
    check_count("ranges left alive", stats.ranges, 0);
    check_count("pointers left waiting", stats.waiting, 0);
}

/* ---- the gradient ------------------------------------------------------------------------------- */

/* A function of n values behind the library's type of functions. */
struct original {
    double (*value)(int64_t n, const double *x);
};
static inline double value_of_original(int64_t n, const double *x, void *user) {
    return ((const struct original *)user)->value(n, x);
}
/* A gradient against its function: along a direction in which every component changes, by the remainders of many steps. */
static inline void check_against_function(double (*value)(int64_t n, const double *x), int64_t n, const double *x,
                                  const double *xb, double tolerance) {
    struct original original = {value};
    const adtape_test_options_t options = {.tolerance = tolerance};
    adtape_test_report_t report;
    expect_ok(adtape_test_gradient_f64(value_of_original, NULL, &original, n, x, xb, &options, &report));
    check_error("the gradient against its function", report.passed ? report.error : (double)INFINITY, tolerance);
    if (!report.passed) {
        fputs(adtape_test_text(), stdout);
    }
}
/* A gradient against its function in complex arithmetic, in a direction (NULL: all components change): an imaginary
 * part that carries the derivative leaves nothing but rounding. The error, infinite if the library's test fails. */
static inline double error_of_complex_step(adtape_complex_call_t function, void *user, int64_t n, const double *x,
                                           const double *xb, const double *direction, double tolerance) {
    const adtape_test_options_t options = {
        .direction = direction, .complex_function = function, .tolerance = tolerance};
    adtape_test_report_t report;
    expect_ok(adtape_test_gradient_f64(NULL, NULL, user, n, x, xb, &options, &report));
    if (!report.passed) {
        fputs(adtape_test_text(), stdout);
    }
    return report.passed ? report.error : (double)INFINITY;
}

#endif
