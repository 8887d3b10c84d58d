/* plain.h: the reference loops over plain memory, in plain.c, and the call floor, in floor.c. */
#ifndef ADTAPE_BENCH_PLAIN_H
#define ADTAPE_BENCH_PLAIN_H

#include <stdint.h>

/* Values popped in one piece: what they are stored to stays in cache. Loops take a multiple of it. */
enum { BLOCK = 1024 };
#define BLOCKS(i, n)                                                     \
    for (int64_t i##_block = 0; i##_block < (n); i##_block += BLOCK)     \
        for (int64_t i = 0; i < BLOCK; i++)

/* The plain loop: a bump pointer, one store or load and one increment an element. */
void plain_push(double **cursor, double x, int64_t n);
void plain_pop(double **cursor, double *out, int64_t n);

/* The least that a cursor in memory takes: the plain loop, which stores its pointer after each element. */
void plain_push_stored(double **cursor, double x, int64_t n);
void plain_pop_stored(double **cursor, double *out, int64_t n);
/* The least that a bounded cursor in registers takes: the plain loop, which compares its pointer at each element. */
void plain_push_compared(double **cursor, const double *limit, double x, int64_t n);
void plain_pop_compared(double **cursor, const double *base, double *out, int64_t n);

/* Shifts bits into a word and stores full words. */
typedef struct {
    uint64_t *cursor, word;
    int held;
} plain_bits_t;
void plain_push_bits(plain_bits_t *bits, const int32_t *bit, int64_t n);
void plain_pop_bits(plain_bits_t *bits, int32_t *bit, int64_t n);

void plain_push_bytes(unsigned char **cursor, const int32_t *byte, int64_t n);
void plain_pop_bytes(unsigned char **cursor, int32_t *byte, int64_t n);

/* The call floor: load, compare, store and advance of a cursor in a static variable, compiled separately. */
void floor_begin(char *memory, int64_t bytes);
void floor_push(const double *x);
void floor_push_value(double x);
void floor_pop(double *x);
void floor_push_i32(int32_t x);
void floor_pop_i32(int32_t *x);
void floor_push_bit(int32_t x);
void floor_pop_bit(int32_t *x);
void plain_push_call(double x, int64_t n);
void plain_push_value_call(double x, int64_t n);
void plain_pop_call(double *out, int64_t n);
void plain_push_i32_call(int64_t n);
void plain_pop_i32_call(int32_t *out, int64_t n);
void plain_push_bit_call(int64_t n);
void plain_pop_bit_call(int32_t *out, int64_t n);

/* The same inlined: a bounded cursor that lives in memory, loaded and stored at each element. `x` has BLOCK values. */
typedef struct {
    char *cur, *limit, *base;
} plain_cursor_t;
/* The least that a bounded cursor in memory takes: the plain loop, which compares its pointer with a bound in memory and
 * stores it. */
void plain_push_held(plain_cursor_t *cursor, double x, int64_t n);
void plain_pop_held(plain_cursor_t *cursor, double *out, int64_t n);
void plain_push_bounded(plain_cursor_t *cursor, const double *x, int64_t n);
void plain_pop_bounded(plain_cursor_t *cursor, double *out, int64_t n);

/* Every second of n doubles, and the interior of a cube of doubles with edges of `edge` + 2. */
void plain_gather_strided(double **cursor, const double *x, int64_t n);
void plain_scatter_strided(double **cursor, double *x, int64_t n);
void plain_gather_cube(double **cursor, const double *x, int64_t edge);
void plain_scatter_cube(double **cursor, double *x, int64_t edge);

#endif
