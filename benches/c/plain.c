/* The reference loops, compiled so that they stay the loops that they are: neither vectorised nor turned into calls
 * of memset and memcpy. */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

void plain_push(double **cursor, double x, int64_t n) {
    double *p = *cursor;
    for (int64_t i = 0; i < n; i++) {
        *p++ = x;
    }
    *cursor = p;
}
void plain_pop(double **cursor, double *out, int64_t n) {
    double *p = *cursor;
    BLOCKS(i, n) { out[i] = *--p; }
    *cursor = p;
}

void plain_push_stored(double **cursor, double x, int64_t n) {
    double *p = *cursor;
    for (int64_t i = 0; i < n; i++) {
        *p++ = x;
        *(double *volatile *)cursor = p;
    }
}
void plain_pop_stored(double **cursor, double *out, int64_t n) {
    double *p = *cursor;
    BLOCKS(i, n) {
        out[i] = *--p;
        *(double *volatile *)cursor = p;
    }
}
/* The asm keeps one address in one register, as adtape_local_push_f64 does. */
void plain_push_compared(double **cursor, const double *limit, double x, int64_t n) {
    double *p = *cursor;
    for (int64_t i = 0; i < n; i++) {
        p++;
        __asm__("" : "+r"(p));
        if (__builtin_expect(p > limit, 0)) {
            abort();
        }
        p[-1] = x;
    }
    *cursor = p;
}
void plain_pop_compared(double **cursor, const double *base, double *out, int64_t n) {
    double *p = *cursor;
    BLOCKS(i, n) {
        p--;
        __asm__("" : "+r"(p));
        if (__builtin_expect(p < base, 0)) {
            abort();
        }
        out[i] = *p;
    }
    *cursor = p;
}
void plain_push_held(plain_cursor_t *cursor, double x, int64_t n) {
    char *p = cursor->cur;
    for (int64_t i = 0; i < n; i++) {
        p += sizeof x;
        if (__builtin_expect(p > *(char *volatile *)&cursor->limit, 0)) {
            abort();
        }
        ((double *)p)[-1] = x;
        *(char *volatile *)&cursor->cur = p;
    }
}
void plain_pop_held(plain_cursor_t *cursor, double *out, int64_t n) {
    char *p = cursor->cur;
    BLOCKS(i, n) {
        p -= sizeof *out;
        if (__builtin_expect(p < *(char *volatile *)&cursor->base, 0)) {
            abort();
        }
        out[i] = *(double *)p;
        *(char *volatile *)&cursor->cur = p;
    }
}

void plain_push_bits(plain_bits_t *bits, const int32_t *bit, int64_t n) {
    uint64_t *p = bits->cursor, word = bits->word;
    int held = bits->held;
    BLOCKS(i, n) {
        word = word << 1 | (uint64_t)bit[i];
        if (++held == 64) {
            *p++ = word;
            held = 0;
        }
    }
    bits->cursor = p, bits->word = word, bits->held = held;
}
void plain_pop_bits(plain_bits_t *bits, int32_t *bit, int64_t n) {
    uint64_t *p = bits->cursor, word = bits->word;
    int held = bits->held;
    BLOCKS(i, n) {
        if (held == 0) {
            word = *--p;
            held = 64;
        }
        bit[i] = word & 1;
        word >>= 1;
        held--;
    }
    bits->cursor = p, bits->word = word, bits->held = held;
}

void plain_push_bytes(unsigned char **cursor, const int32_t *byte, int64_t n) {
    unsigned char *p = *cursor;
    BLOCKS(i, n) { *p++ = (unsigned char)byte[i]; }
    *cursor = p;
}
void plain_pop_bytes(unsigned char **cursor, int32_t *byte, int64_t n) {
    unsigned char *p = *cursor;
    BLOCKS(i, n) { byte[i] = *--p; }
    *cursor = p;
}

void plain_push_call(double x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        floor_push(&x);
    }
}
void plain_push_value_call(double x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        floor_push_value(x);
    }
}
void plain_pop_call(double *out, int64_t n) {
    BLOCKS(i, n) { floor_pop(&out[i]); }
}
void plain_push_i32_call(int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        floor_push_i32((int32_t)(i & 1));
    }
}
void plain_pop_i32_call(int32_t *out, int64_t n) {
    BLOCKS(i, n) { floor_pop_i32(&out[i]); }
}
void plain_push_bit_call(int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        floor_push_bit((int32_t)(i & 1));
    }
}
void plain_pop_bit_call(int32_t *out, int64_t n) {
    BLOCKS(i, n) { floor_pop_bit(&out[i]); }
}

/* memcpy may write to the cursor itself, for all that the compiler knows: it stays in memory. */
void plain_push_bounded(plain_cursor_t *cursor, const double *x, int64_t n) {
    BLOCKS(i, n) {
        if (cursor->cur + sizeof *x > cursor->limit) {
            abort();
        }
        memcpy(cursor->cur, &x[i], sizeof *x);
        cursor->cur += sizeof *x;
    }
}
void plain_pop_bounded(plain_cursor_t *cursor, double *out, int64_t n) {
    BLOCKS(i, n) {
        if (cursor->cur - sizeof *out < cursor->base) {
            abort();
        }
        cursor->cur -= sizeof *out;
        memcpy(&out[i], cursor->cur, sizeof *out);
    }
}

void plain_gather_strided(double **cursor, const double *x, int64_t n) {
    double *p = *cursor;
    for (int64_t i = 0; i < n; i += 2) {
        *p++ = x[i];
    }
    *cursor = p;
}
void plain_scatter_strided(double **cursor, double *x, int64_t n) {
    const double *p = *cursor - n / 2;
    *cursor -= n / 2;
    for (int64_t i = 0; i < n; i += 2) {
        x[i] = *p++;
    }
}

#define CUBE(edge)                              \
    for (int64_t k = 1; k <= (edge); k++)       \
        for (int64_t j = 1; j <= (edge); j++)   \
            for (int64_t i = 1; i <= (edge); i++)
#define AT(edge) x[(k * ((edge) + 2) + j) * ((edge) + 2) + i]

void plain_gather_cube(double **cursor, const double *x, int64_t edge) {
    double *p = *cursor;
    CUBE(edge) { *p++ = AT(edge); }
    *cursor = p;
}
void plain_scatter_cube(double **cursor, double *x, int64_t edge) {
    const double *p = *cursor - edge * edge * edge;
    *cursor -= edge * edge * edge;
    CUBE(edge) { AT(edge) = *p++; }
}
