/* paths.h: what the programs whose instructions are counted share.
 *
 * Each path is a function of its own, which runs an operation n times. callgrind writes the cost of each call of a
 * …_fast_path function; the difference of two calls with different n, over the difference of n, is the cost of one
 * operation and of the loop around it. */
#ifndef ADTAPE_COUNTS_PATHS_H
#define ADTAPE_COUNTS_PATHS_H

#include "adtape.h"

#include <stdint.h>
#include <stdlib.h>

enum { FEW = 100, MANY = 600, BLOCK = 4096 };

static double values[MANY + 1]; /* at least BLOCK bytes */
static char memory[(MANY + 1) * BLOCK];
/* Bytes of the arrays: not known to the compiler. */
static volatile int64_t bytes;

/* `t` is a tape of its own, `x` what is pushed. */
#define PATH_(name, statement)                                                          \
    __attribute__((noinline)) void name##_fast_path(adtape_t *t, double x, long n) {    \
        (void)t, (void)x;                                                               \
        for (long i = 0; i < n; i++) {                                                  \
            statement;                                                                  \
        }                                                                               \
    }
#define PATH(name, statement) PATH_(name, statement)

/* Runs a pair of paths: once so that the memory is there and no slow path is left but those of full words of bits,
 * and then with few and with many repetitions, which are the calls that count. */
typedef void path_t(adtape_t *t, double x, long n);
static void run(adtape_t *t, path_t *push, path_t *pop) {
    push(t, 1.0, MANY + 1);
    pop(t, 1.0, MANY + 1);
    for (int round = 0; round < 2; round++) {
        const long n = round == 0 ? FEW : MANY;
        push(t, 1.0, n);
        pop(t, 1.0, n);
    }
}

#endif
