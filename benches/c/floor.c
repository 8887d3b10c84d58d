/* The call floor: what a separately compiled push and pop cost at least, over plain memory. Compiled, like the library
 * it is compared with, into a static archive or a shared library. */
#include "plain.h"

#include <stddef.h>
#include <stdlib.h>

/* A word of bits has a marker above them. */
static struct {
    char *cur, *limit, *base;
    uint64_t bits;
} cursor;

void floor_begin(char *memory, int64_t bytes) {
    cursor.cur = cursor.base = memory;
    cursor.limit = memory + bytes;
    cursor.bits = 1;
}
void floor_push(const double *x) {
    if (cursor.limit - cursor.cur < (ptrdiff_t)sizeof *x) {
        abort();
    }
    *(double *)cursor.cur = *x;
    cursor.cur += sizeof *x;
}
void floor_push_value(double x) {
    if (cursor.limit - cursor.cur < (ptrdiff_t)sizeof x) {
        abort();
    }
    *(double *)cursor.cur = x;
    cursor.cur += sizeof x;
}
void floor_pop(double *x) {
    if (cursor.cur - cursor.base < (ptrdiff_t)sizeof *x) {
        abort();
    }
    cursor.cur -= sizeof *x;
    *x = *(const double *)cursor.cur;
}

void floor_push_i32(int32_t x) {
    if (cursor.limit - cursor.cur < (ptrdiff_t)sizeof x) {
        abort();
    }
    *(int32_t *)cursor.cur = x;
    cursor.cur += sizeof x;
}
void floor_pop_i32(int32_t *x) {
    if (cursor.cur - cursor.base < (ptrdiff_t)sizeof *x) {
        abort();
    }
    cursor.cur -= sizeof *x;
    *x = *(const int32_t *)cursor.cur;
}

/* A bit is shifted into a word, and a full word stored: a branch that is taken once in 63 times. */
void floor_push_bit(int32_t x) {
    const uint64_t word = (cursor.bits << 1) + (x != 0);
    if (__builtin_expect(word >> 63 != 0, 0)) {
        *(uint64_t *)cursor.cur = word;
        cursor.cur += sizeof word;
        cursor.bits = 1;
    } else {
        cursor.bits = word;
    }
}
void floor_pop_bit(int32_t *x) {
    uint64_t word = cursor.bits;
    if (__builtin_expect(word == 1, 0)) {
        cursor.cur -= sizeof word;
        word = *(const uint64_t *)cursor.cur;
    }
    *x = (int32_t)(word & 1);
    cursor.bits = word >> 1;
}
