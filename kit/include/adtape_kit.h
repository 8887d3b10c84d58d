/* adtape_kit.h: the fast path of the kit's calls. Included by adStack.h, adBuffer.h and adtape_kit.c.
 *
 * Vocabulary. The kit is the run-time that generated adjoints were written for; its names and quirks live here,
 * the tape (adtape.h) knows nothing of them. A stream is what keeps one order: all values together by default, the
 * scalars of one type where the older kits' order by type is asked for (ADTAPE_KIT_ORDER=type).
 *
 * Each module has a hidden thread-local pointer, at first to a constant closed tape. A closed tape sends every push
 * and pop to the slow path, adtape_kit0_…, in libadtape_kit. The slow path replaces the pointer by the thread's own
 * tape. That is closed where the order is by type, and while LOOK calls are reading, so that the next push or pop is
 * seen. So neither costs the fast path anything.
 *
 * The slow path performs the operation, so that a call out of line (ADTAPE_KIT_CALLS) ends in a jump to it: no stack
 * frame on the fast path, and the return address that it sees is the call site in the program. Inlined code gets what
 * is popped as a value: a variable whose address the slow path took could not stay in a register. */
#ifndef ADTAPE_KIT_H
#define ADTAPE_KIT_H

/* Where both are installed one -I finds both. */
#if __has_include("../../adtape.h")
#include "../../adtape.h"
#else
#include "adtape.h"
#endif

#include "adtape_kit_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- streams ----------------------------------------------------------------------------------- */

enum {
    ADTAPE_KIT_ARRAYS_, /* arrays of all types, as the older kits' main stack; everything in one order */
    ADTAPE_KIT_I4_,
    ADTAPE_KIT_I8_,
    ADTAPE_KIT_R4_,
    ADTAPE_KIT_R8_,
    ADTAPE_KIT_R16_,
    ADTAPE_KIT_C8_,
    ADTAPE_KIT_C16_,
    ADTAPE_KIT_CHARACTER_,
    ADTAPE_KIT_BITS_, /* control and booleans */
    ADTAPE_KIT_POINTER_,
    ADTAPE_KIT_STREAMS_
};

/* What a call moves: type, bytes of one and stream in one word. */
#define ADTAPE_KIT_WHAT_(type, bytes, stream) ((type) | (bytes) << 8 | (stream) << 16)
#define ADTAPE_KIT_INTEGER4_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_I32, 4, ADTAPE_KIT_I4_)
#define ADTAPE_KIT_INTEGER8_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_I64, 8, ADTAPE_KIT_I8_)
#define ADTAPE_KIT_REAL4_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_F32, 4, ADTAPE_KIT_R4_)
#define ADTAPE_KIT_REAL8_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_F64, 8, ADTAPE_KIT_R8_)
#define ADTAPE_KIT_REAL16_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_F128, 16, ADTAPE_KIT_R16_)
#define ADTAPE_KIT_COMPLEX8_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_COMPLEX_F32, 8, ADTAPE_KIT_C8_)
#define ADTAPE_KIT_COMPLEX16_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_COMPLEX_F64, 16, ADTAPE_KIT_C16_)
#define ADTAPE_KIT_COMPLEX32_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_COMPLEX_F128, 32, ADTAPE_KIT_ARRAYS_)
#define ADTAPE_KIT_CHAR_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_CHAR, 1, ADTAPE_KIT_CHARACTER_)
#define ADTAPE_KIT_LOGICAL_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_LOGICAL32, 4, ADTAPE_KIT_ARRAYS_)
#define ADTAPE_KIT_POINTERS_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_OPAQUE, 8, ADTAPE_KIT_POINTER_)
#define ADTAPE_KIT_BYTES_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_BYTES, 1, ADTAPE_KIT_ARRAYS_)
#define ADTAPE_KIT_RAW16_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_F128, 16, ADTAPE_KIT_ARRAYS_)
#define ADTAPE_KIT_BYTES_IN_(what) ((uintptr_t)((what) >> 8 & 0xff))

/* ---- slow path --------------------------------------------------------------------------------- */

/* One per thread and module; see above. */
__extension__ __attribute__((weak, visibility("hidden"), tls_model("initial-exec"))) __thread adtape_t
    *adtape_kit_self_ = (adtape_t *)&adtape_abi0_closed;

/* libadtape_kit.a saves the load of that pointer: linked together with libadtape.a it knows the cursor of the thread's own
 * tape, which is closed where the pointer would be to the closed tape. */
#if defined(ADTAPE_KIT_DIRECT)
extern __thread adtape_t adtape_thread_cursor __attribute__((visibility("hidden"), tls_model("initial-exec")));
#define ADTAPE_KIT_CURSOR_ (&adtape_thread_cursor)
#define ADTAPE_KIT_SELF_ ((adtape_t **)NULL)
#else
#define ADTAPE_KIT_CURSOR_ adtape_kit_self_
#define ADTAPE_KIT_SELF_ (&adtape_kit_self_)
#endif

/* Calls of it are placed away from the loops that they are in. */
#define ADTAPE_KIT_SLOW_ __attribute__((cold))
/* The number is the version of what the inlined code expects of the library. A scalar of up to 8 bytes is passed as
 * a word, one of 16 as two. */
ADTAPE_KIT_SLOW_ void adtape_kit0_push(adtape_t **self, int what, uint64_t word);
ADTAPE_KIT_SLOW_ void adtape_kit0_push2(adtape_t **self, int what, uint64_t low, uint64_t high);
ADTAPE_KIT_SLOW_ void adtape_kit0_pop(adtape_t **self, int what, void *x);
typedef struct {
    uint64_t low, high;
} adtape_kit_words_t;
ADTAPE_KIT_SLOW_ adtape_kit_words_t adtape_kit0_pop_words(adtape_t **self, int what);
ADTAPE_KIT_SLOW_ void adtape_kit0_push_array(adtape_t **self, int what, const void *x, int64_t count);
ADTAPE_KIT_SLOW_ void adtape_kit0_pop_array(adtape_t **self, int what, void *x, int64_t count);
/* Bits in the order of the tape: the one pushed last is lowest. */
ADTAPE_KIT_SLOW_ void adtape_kit0_push_bits(adtape_t **self, uint64_t value, int bits);
/* Pops a control value, returns it and stores it at `cc` if that is not NULL. */
ADTAPE_KIT_SLOW_ int adtape_kit0_pop_control(adtape_t **self, int bits, int *cc);

/* From now on scalars of each type, and arrays of all types, keep an order of their own, as with the kits that
 * buffered by type. To be called before the first push or pop of the process; ADTAPE_KIT_ORDER=type does the same. */
void adtape_kit_order_by_type(void);

/* ---- scalars ----------------------------------------------------------------------------------- */

/* What is on the tape, as a type that overlaps neither the cursor nor the pointer to it: the compiler knows that a push
 * leaves these as they are, and keeps them in registers from one operation to the next. A union, because what was pushed as
 * one type may be popped as another. Of integers, because code with floating-point numbers is not inlined from C
 * into Fortran everywhere: their compilers differ in what they presume about them. */
typedef struct {
    uint32_t low, high;
} __attribute__((packed)) adtape_kit_eight_t;
typedef union {
    adtape_kit_eight_t eight;
    uint32_t four;
} __attribute__((packed)) adtape_kit_cell_t;

/* Copies a value of `bytes` (1, 4, 8 or 16, a constant at every call) to and from the tape. */
ADTAPE_INLINE_ void adtape_kit_put_(uintptr_t at, const void *x, uintptr_t bytes) {
    if (bytes == 1) {
        memcpy((void *)at, x, 1);
    } else if (bytes == 4) {
        uint32_t four;
        memcpy(&four, x, 4);
        ((adtape_kit_cell_t *)at)->four = four;
    } else {
        uintptr_t i;
        for (i = 0; i < bytes; i += 8) {
            adtape_kit_eight_t eight;
            memcpy(&eight, (const char *)x + i, 8);
            ((adtape_kit_cell_t *)(at + i))->eight = eight;
        }
    }
}
ADTAPE_INLINE_ void adtape_kit_get_(uintptr_t at, void *x, uintptr_t bytes) {
    if (bytes == 1) {
        memcpy(x, (const void *)at, 1);
    } else if (bytes == 4) {
        const uint32_t four = ((const adtape_kit_cell_t *)at)->four;
        memcpy(x, &four, 4);
    } else {
        uintptr_t i;
        for (i = 0; i < bytes; i += 8) {
            const adtape_kit_eight_t eight = ((const adtape_kit_cell_t *)(at + i))->eight;
            memcpy((char *)x + i, &eight, 8);
        }
    }
}

/* The slow path has performed the operation: a call ends, inlined code goes on with what `field` of the tape is now. There
 * fast and slow path meet, and the pointer is read again, before the field is written: so the compiler knows both at the
 * next operation from registers. Reading the cursor back would cost the time from a store to its load. */
#if defined(ADTAPE_KIT_CALLS)
#define ADTAPE_KIT_ENDS_(now, field) return
#else
#define ADTAPE_KIT_ENDS_(now, field) ((now) = ADTAPE_KIT_CURSOR_->field)
#endif

/* `what` is a constant at every call. */
ADTAPE_INLINE_ void adtape_kit_push_(const void *x, int what) {
    const uintptr_t bytes = ADTAPE_KIT_BYTES_IN_(what);
    const adtape_t *t = ADTAPE_KIT_CURSOR_;
    uintptr_t next = t->cur + bytes;
    if (ADTAPE_RARE_(next > t->limit)) {
        uint64_t words[2] = {0, 0};
        memcpy(words, x, bytes);
        if (bytes > 8) {
            adtape_kit0_push2(ADTAPE_KIT_SELF_, what, words[0], words[1]);
        } else {
            adtape_kit0_push(ADTAPE_KIT_SELF_, what, words[0]);
        }
        ADTAPE_KIT_ENDS_(next, cur);
    } else {
        adtape_kit_put_(next - bytes, x, bytes);
    }
    ADTAPE_KIT_CURSOR_->cur = next;
}
/* Pops into *x, a T. Inlined, it is assigned as one: a copy of bytes could change the cursor, for all that the compiler
 * knows. */
#if defined(ADTAPE_KIT_CALLS)
ADTAPE_INLINE_ void adtape_kit_pop_(void *x, int what) {
    const uintptr_t bytes = ADTAPE_KIT_BYTES_IN_(what);
    adtape_t *t = ADTAPE_KIT_CURSOR_;
    const uintptr_t cur = t->cur - bytes;
    if (ADTAPE_RARE_(cur < t->floor)) {
        adtape_kit0_pop(ADTAPE_KIT_SELF_, what, x);
        return;
    }
    t->cur = cur;
    adtape_kit_get_(cur, x, bytes);
}
#define ADTAPE_KIT_POP_(T, x, what) adtape_kit_pop_(x, what)
#else
/* Where the cursor is once the value on top is popped, which is in *x. */
ADTAPE_INLINE_ uintptr_t adtape_kit_pop_to_(void *x, int what) {
    const uintptr_t bytes = ADTAPE_KIT_BYTES_IN_(what);
    const adtape_t *t = ADTAPE_KIT_CURSOR_;
    uintptr_t cur = t->cur - bytes;
    if (ADTAPE_RARE_(cur < t->floor)) {
        const adtape_kit_words_t words = adtape_kit0_pop_words(ADTAPE_KIT_SELF_, what);
        memcpy(x, &words, bytes);
        ADTAPE_KIT_ENDS_(cur, cur);
    } else {
        adtape_kit_get_(cur, x, bytes);
    }
    return cur;
}
ADTAPE_INLINE_ void adtape_kit_pop_(void *x, int what) {
    const uintptr_t cur = adtape_kit_pop_to_(x, what);
    ADTAPE_KIT_CURSOR_->cur = cur;
}
#define ADTAPE_KIT_POP_(T, x, what)                               \
    do {                                                          \
        T value_;                                                 \
        const uintptr_t cur_ = adtape_kit_pop_to_(&value_, what); \
        *(x) = value_;                                            \
        ADTAPE_KIT_CURSOR_->cur = cur_;                           \
    } while (0)
#endif

/* ---- arrays ------------------------------------------------------------------------------------ */

/* The kit's lengths are int; a length of zero or below moves nothing, as in the kit: it is what empty sections have. */
ADTAPE_INLINE_ void adtape_kit_push_array_(const void *x, int n, int what) {
    adtape_t *t = ADTAPE_KIT_CURSOR_;
    const uint64_t bytes = (uint64_t)(unsigned)n * ADTAPE_KIT_BYTES_IN_(what);
    if (n <= 0) {
        return;
    }
    if (ADTAPE_RARE_(x == NULL || t->cur + bytes > t->limit)) {
        adtape_kit0_push_array(ADTAPE_KIT_SELF_, what, x, n);
        return;
    }
    if (bytes < ADTAPE_BIG_BYTES_) {
        const uintptr_t cur = t->cur;
        t->cur = cur + bytes;
        memcpy((void *)cur, x, bytes);
    } else {
        adtape_abi0_copy_in(t, x, bytes);
    }
}
ADTAPE_INLINE_ void adtape_kit_pop_array_(void *x, int n, int what) {
    adtape_t *t = ADTAPE_KIT_CURSOR_;
    /* A length below zero gives more than any tape holds; zero and below are the slow path's. */
    const uint64_t bytes = (uint64_t)(int64_t)n * ADTAPE_KIT_BYTES_IN_(what);
    if (ADTAPE_RARE_(x == NULL || bytes - 1 >= t->cur - t->floor)) {
        adtape_kit0_pop_array(ADTAPE_KIT_SELF_, what, x, n);
        return;
    }
    if (bytes < ADTAPE_BIG_BYTES_) {
        const uintptr_t cur = t->cur - bytes;
        t->cur = cur;
        memcpy(x, (const void *)cur, bytes);
    } else {
        adtape_abi0_copy_out(t, x, bytes);
    }
}

/* ---- control ----------------------------------------------------------------------------------- */

/* The four low bits of `w` in reverse order: a table of sixteen nibbles in a constant. */
#define ADTAPE_KIT_REVERSE4_(w) (UINT64_C(0xF7B3D591E6A2C480) >> (4 * ((w) & 15)) & 15)

/* The `bits` (1 to 9) low bits of `w` in reverse order. The kit pushes the lowest bit of a control value first, the
 * tape the highest. */
ADTAPE_INLINE_ uint64_t adtape_kit_reverse_(uint64_t w, int bits) {
    if (bits == 1) {
        return w & 1;
    }
    if (bits == 2) {
        return ((w & 1) << 1) + (w >> 1 & 1);
    }
    if (bits <= 4) {
        return ADTAPE_KIT_REVERSE4_(w) >> (4 - bits);
    }
    if (bits <= 8) {
        return (ADTAPE_KIT_REVERSE4_(w) << 4 | ADTAPE_KIT_REVERSE4_(w >> 4)) >> (8 - bits);
    }
    return ADTAPE_KIT_REVERSE4_(w) << 5 | ADTAPE_KIT_REVERSE4_(w >> 4) << 1 | (w >> 8 & 1);
}

ADTAPE_INLINE_ void adtape_kit_push_control_(int cc, int bits) {
    uint64_t have = ADTAPE_KIT_CURSOR_->bits;
    /* The top bit is whether what is left of the value is not zero, as in the kit. A sum in place of an or: with the
     * shift it is one instruction. */
    const uint64_t low = (uint64_t)cc & ((UINT64_C(1) << (bits - 1)) - 1);
    const uint64_t top = (unsigned)cc >= 1u << (bits - 1);
    const uint64_t value = bits == 1 ? top : (adtape_kit_reverse_(low, bits - 1) << 1) + top;
    if (ADTAPE_RARE_(have >= UINT64_C(1) << (62 - bits))) {
        adtape_kit0_push_bits(ADTAPE_KIT_SELF_, value, bits);
        ADTAPE_KIT_ENDS_(have, bits);
    } else {
        have = (have << bits) + value;
    }
    ADTAPE_KIT_CURSOR_->bits = have;
}
ADTAPE_INLINE_ void adtape_kit_pop_control_(int *cc, int bits) {
    uint64_t have = ADTAPE_KIT_CURSOR_->bits;
    if (ADTAPE_RARE_((int64_t)have < (int64_t)(UINT64_C(1) << bits))) {
#if defined(ADTAPE_KIT_CALLS)
        (void)adtape_kit0_pop_control(ADTAPE_KIT_SELF_, bits, cc);
#else
        *cc = adtape_kit0_pop_control(ADTAPE_KIT_SELF_, bits, NULL);
#endif
        ADTAPE_KIT_ENDS_(have, bits);
    } else {
        *cc = (int)adtape_kit_reverse_(have & ((UINT64_C(1) << bits) - 1), bits);
        have >>= bits;
    }
    ADTAPE_KIT_CURSOR_->bits = have;
}
ADTAPE_INLINE_ int adtape_kit_pop_bit_(void) {
    adtape_t *t = ADTAPE_KIT_CURSOR_;
    const uint64_t have = t->bits;
    if (ADTAPE_RARE_((int64_t)have < 2)) {
        return adtape_kit0_pop_control(ADTAPE_KIT_SELF_, 1, NULL);
    }
    t->bits = have >> 1;
    return (int)(have & 1);
}

#ifdef __cplusplus
}
#endif

#endif
