/* bench.h: what the parts of the benchmark program share.
 *
 * A figure compares two *sides*, adtape's and a reference, which do the same work: a forward sweep that pushes `count`
 * pieces of `bytes` bytes and a reverse sweep that pops them. A *round* runs both sides, one after the other,
 * and takes the time of the four sweeps. The loops themselves are functions of their own files, never inlined, so
 * that those of the references have other compiler flags. */
#ifndef ADTAPE_BENCH_H
#define ADTAPE_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "adtape.h"
#include "plain.h"

#define LOOP __attribute__((noinline)) void

/* What a figure works on. */
typedef struct {
    int64_t count, bytes;
    adtape_t *tape;
    double *values; /* BLOCK of them, or one array of `bytes` bytes */
    char *memory;   /* as much as all pieces together, warm, in huge pages: the reference's tape */
} work_t;

/* Time of the two sweeps of a side, in ns. */
typedef struct {
    double forward, reverse;
} times_t;

typedef void side_t(const work_t *w, times_t *times);

typedef struct {
    const char *name;
    side_t *ours, *reference;
} figure_t;

/* The figures of each part, ended by a NULL name. */
extern const figure_t scalar_figures[], array_figures[], section_figures[], touch_figures[], kit_figures[],
    heap_figures[], stencil_figures[];
/* Only in the program whose Fortran is compiled with -flto. */
extern const figure_t lto_figures[] __attribute__((weak));

/* memcpy into and out of plain memory, a reference for arrays. */
void memcpys(const work_t *w, times_t *times);

static inline double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* What reading the clock costs, which is left out of all times. */
extern double clock_cost;

/* Runs a statement and keeps its time. */
#define TIMED(where, statement)                              \
    do {                                                     \
        const double start_ = nanoseconds();                 \
        statement;                                           \
        (where) = nanoseconds() - start_ - clock_cost;       \
    } while (0)

/* Memory of whole huge pages, written once. Ends the program if there is none. */
char *warm_memory(size_t bytes);

static inline void expect_ok(adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        fprintf(stderr, "bench: %s\n", adtape_error_message());
        exit(2);
    }
}

#endif
