/* The call floor: what a separately compiled push and pop cost at least, over plain memory. Compiled, like the library
 * it is compared with, into a static archive or a shared library. */
#include "plain.h"

#include <stddef.h>
#include <stdlib.h>

static struct {
    char *cur, *limit, *base;
} cursor;

void floor_begin(char *memory, int64_t bytes) {
    cursor.cur = cursor.base = memory;
    cursor.limit = memory + bytes;
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
