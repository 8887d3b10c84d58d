/* adtape/inline.h: the fast path of the tape, inlined into the caller. adtape/tape.h includes it.
 *
 * A push of n bytes is one compare against `limit`, one copy, one addition; a pop is one compare against
 * `floor`, one subtraction, one copy. Everything else (first use, growth, limits, repeat regions, check and
 * profile mode) is behind the two compares, in the library. The slow path does not perform the operation:
 * it makes exactly this operation possible and returns the tape on which it is to be performed.
 *
 * adtape_abi0_… are the entry points of the slow path. The number is the version of the layout of adtape_t
 * as compiled into the caller: a program and a library that disagree about it do not link. */
#ifndef ADTAPE_INLINE_H
#define ADTAPE_INLINE_H

#if !defined(__GNUC__)
#error "adtape.h needs gcc, clang or a compiler that understands their extensions"
#endif

#include "tape.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ADTAPE_INLINE_ static inline __attribute__((always_inline, unused))
#define ADTAPE_COLD_ static __attribute__((noinline, cold, unused))
#define ADTAPE_RARE_(condition) __builtin_expect(!!(condition), 0)

/* Most bytes that one call moves: 2^47, the size of the user half of the address space. */
#define ADTAPE_MAX_BYTES_ (UINT64_C(1) << 47)
/* From this size on an array is copied by the library, which streams and prefetches. */
#define ADTAPE_BIG_BYTES_ 512

/* ---- the thread's tape ------------------------------------------------------------------------- */

/* One per thread and module (program or shared library). Starts at a constant closed tape, so that a push or pop
 * through it as it is takes the slow path, which puts the address of the thread's tape here. */
__extension__ __attribute__((weak, visibility("hidden"), tls_model("initial-exec"))) __thread adtape_t
    *adtape_self_cache_ = (adtape_t *)&adtape_abi0_closed;

ADTAPE_COLD_ adtape_t *adtape_real_(adtape_t *t) {
    if (t == (adtape_t *)&adtape_abi0_closed) {
        adtape_self_cache_ = t = adtape_abi0_self();
    }
    return t;
}
ADTAPE_INLINE_ adtape_t *adtape_begun_(adtape_t *t) {
    return ADTAPE_RARE_(t == (adtape_t *)&adtape_abi0_closed) ? adtape_real_(t) : t;
}
/* The calling thread's own tape, made at its first use and released when the thread ends. If values are left on it
 * then, standard error says how many bytes. Never NULL. Valid on this thread only: do not pass it to another one, use
 * adtape_release. C and Fortran of one program share it.
 * Cost: one load and one compare; where that counts, call it once a procedure.
 * Fortran: `t = adtape_self()`, and every procedure without a tape as its first argument. */
ADTAPE_INLINE_ adtape_t *adtape_self(void) { return adtape_begun_(adtape_self_cache_); }

/* ---- slow path --------------------------------------------------------------------------------- */

/* After a call whose site is the address it returns to: keeps the compiler from jumping there instead, which would
 * leave the site of the caller's caller. */
#define ADTAPE_NO_TAIL_CALL_() __asm__ volatile("")

ADTAPE_COLD_ adtape_t *adtape_push_room_(adtape_t *t, adtape_type_t type, int64_t count) {
    return adtape_abi0_push_room(adtape_begun_(t), type, count, __builtin_return_address(0));
}
ADTAPE_COLD_ adtape_t *adtape_pop_room_(adtape_t *t, adtape_type_t type, int64_t count) {
    return adtape_abi0_pop_room(adtape_begun_(t), type, count, __builtin_return_address(0));
}
ADTAPE_COLD_ adtape_t *adtape_push_room_from_(adtape_t *t, adtape_type_t type, int64_t count, const void *from) {
    return adtape_abi0_push_room_from(adtape_begun_(t), type, count, from, __builtin_return_address(0));
}
ADTAPE_COLD_ adtape_t *adtape_pop_room_into_(adtape_t *t, adtape_type_t type, int64_t count, void *into) {
    return adtape_abi0_pop_room_into(adtape_begun_(t), type, count, into, __builtin_return_address(0));
}
ADTAPE_COLD_ void adtape_push_control_(adtape_t *t, uint64_t value, int bits) {
    adtape_abi0_push_control(adtape_begun_(t), value, bits, __builtin_return_address(0));
}
ADTAPE_COLD_ uint64_t adtape_pop_control_(adtape_t *t, int bits) {
    return adtape_abi0_pop_control(adtape_begun_(t), bits, __builtin_return_address(0));
}
ADTAPE_COLD_ void adtape_push_count_(adtape_t *t, int64_t count) {
    adtape_abi0_push_count(adtape_begun_(t), count, __builtin_return_address(0));
}
ADTAPE_COLD_ int64_t adtape_pop_count_(adtape_t *t) {
    return adtape_abi0_pop_count(adtape_begun_(t), __builtin_return_address(0));
}
static __attribute__((noinline, unused)) void adtape_push_section_(adtape_t *t, adtape_type_t type, const void *base,
                                                                  int32_t rank, const int64_t *extents,
                                                                  const int64_t *strides_bytes) {
    adtape_abi0_push_section(t, type, base, rank, extents, strides_bytes, __builtin_return_address(0));
}
static __attribute__((noinline, unused)) void adtape_pop_section_(adtape_t *t, adtape_type_t type, void *base,
                                                                  int32_t rank, const int64_t *extents,
                                                                  const int64_t *strides_bytes) {
    adtape_abi0_pop_section(t, type, base, rank, extents, strides_bytes, __builtin_return_address(0));
}
ADTAPE_COLD_ void adtape_null_(int64_t count) {
    adtape_abi0_null(count, __builtin_return_address(0));
}

/* A NULL handle costs a compare in code that is compiled without optimisation and nothing in code that is:
 * there the first access faults at an address below 64. */
#if defined(__OPTIMIZE__)
#define ADTAPE_NONNULL_(t) ((void)0)
#else
#define ADTAPE_NONNULL_(t) ((t) == NULL ? adtape_null_(-1) : (void)0)
#endif

/* ---- scalars ----------------------------------------------------------------------------------- */

/* Hides how `value` was computed: the compiler then keeps it in one register and does not compute the cursor of before
 * along with it, which would be one more instruction in a loop of few. */
#define ADTAPE_OPAQUE_(value) __asm__("" : "+r"(value))

/* bytes and type are constants at every call. The cursor is read once: the compiler cannot know that the copy does
 * not change it. The operation goes on with t, which the slow path returns: with what it returns, the compiler would
 * take the tape of the next operation for another one and read its cursor anew. Fast and slow path meet again before
 * the cursor is written, here and in all that follows: so the next operation knows it from a register, where reading it
 * back would cost the time from a store to its load. */
ADTAPE_INLINE_ void adtape_push_raw_(adtape_t *t, const void *x, uintptr_t bytes, adtape_type_t type) {
    uintptr_t end;
    ADTAPE_NONNULL_(t);
    end = t->cur + bytes;
    ADTAPE_OPAQUE_(end);
    if (ADTAPE_RARE_(end > t->limit)) {
        (void)adtape_push_room_(t, type, 1);
        end = t->cur + bytes;
    }
    memcpy((void *)(end - bytes), x, bytes);
    t->cur = end;
}
/* Where the value on top begins: the cursor once it is popped. The caller copies the value and then writes the cursor:
 * of a copy behind that write, the compiler would have to assume that it changes the cursor. */
ADTAPE_INLINE_ uintptr_t adtape_pop_to_(adtape_t *t, uintptr_t bytes, adtape_type_t type) {
    uintptr_t cur;
    ADTAPE_NONNULL_(t);
    cur = t->cur - bytes;
    if (ADTAPE_RARE_(cur < t->floor)) {
        (void)adtape_pop_room_(t, type, 1);
        cur = t->cur - bytes;
    }
    return cur;
}

/* ---- arrays ------------------------------------------------------------------------------------ */

ADTAPE_INLINE_ void adtape_push_array_raw_(adtape_t *t, const void *x, int64_t count, uintptr_t bytes_each,
                                           adtape_type_t type) {
    const uint64_t bytes = (uint64_t)count * bytes_each;
    uintptr_t cur;
    ADTAPE_NONNULL_(t);
    cur = t->cur;
    if (ADTAPE_RARE_((uint64_t)count - 1 >= ADTAPE_MAX_BYTES_ / bytes_each || x == NULL || cur + bytes > t->limit)) {
        if (x == NULL && count > 0) {
            adtape_null_(count);
        }
        (void)adtape_push_room_from_(t, type, count, x);
        if (count == 0) {
            return;
        }
        cur = t->cur;
    }
    if (__builtin_constant_p(bytes) && bytes < ADTAPE_BIG_BYTES_) {
        memcpy((void *)cur, x, bytes);
        t->cur = cur + bytes;
    } else if (bytes < ADTAPE_BIG_BYTES_) {
        t->cur = cur + bytes; /* before the call: nothing has to be kept across it */
        memcpy((void *)cur, x, bytes);
    } else {
        adtape_abi0_copy_in(t, x, bytes);
    }
}
/* Whether less is above the floor. A closed cursor is at 64, any other far above: a few bytes below it do not wrap
 * around, and one comparison with memory does. */
ADTAPE_INLINE_ bool adtape_lacks_(const adtape_t *t, uint64_t bytes) {
    if (__builtin_constant_p(bytes) && bytes <= 64) {
        return t->cur - bytes < t->floor;
    }
    return bytes > t->cur - t->floor;
}
ADTAPE_INLINE_ void adtape_pop_array_raw_(adtape_t *t, void *x, int64_t count, uintptr_t bytes_each,
                                          adtape_type_t type) {
    const uint64_t bytes = (uint64_t)count * bytes_each;
    ADTAPE_NONNULL_(t);
    if (ADTAPE_RARE_((uint64_t)count - 1 >= ADTAPE_MAX_BYTES_ / bytes_each || x == NULL || adtape_lacks_(t, bytes))) {
        if (x == NULL && count > 0) {
            adtape_null_(count);
        }
        (void)adtape_pop_room_into_(t, type, count, x);
        if (count == 0) {
            return;
        }
    }
    if (__builtin_constant_p(bytes) && bytes < ADTAPE_BIG_BYTES_) {
        const uintptr_t cur = t->cur - bytes;
        memcpy(x, (const void *)cur, bytes);
        t->cur = cur;
    } else if (bytes < ADTAPE_BIG_BYTES_) {
        const uintptr_t cur = t->cur - bytes;
        t->cur = cur; /* before the call, as above */
        memcpy(x, (const void *)cur, bytes);
    } else {
        adtape_abi0_copy_out(t, x, bytes);
    }
}

/* ---- typed calls ------------------------------------------------------------------------------- */

/* The scalar types with a C type that is passed by value: X(suffix, C type, ADTAPE_TYPE_…). */
#define ADTAPE_VALUE_TYPES_(X)                       \
    X(i8, int8_t, ADTAPE_TYPE_I8)                    \
    X(i16, int16_t, ADTAPE_TYPE_I16)                 \
    X(i32, int32_t, ADTAPE_TYPE_I32)                 \
    X(i64, int64_t, ADTAPE_TYPE_I64)                 \
    X(f32, float, ADTAPE_TYPE_F32)                   \
    X(f64, double, ADTAPE_TYPE_F64)                  \
    X(f80, long double, ADTAPE_TYPE_F80)             \
    X(bool, bool, ADTAPE_TYPE_BOOL)                  \
    X(logical8, int8_t, ADTAPE_TYPE_LOGICAL8)        \
    X(logical16, int16_t, ADTAPE_TYPE_LOGICAL16)     \
    X(logical32, int32_t, ADTAPE_TYPE_LOGICAL32)     \
    X(logical64, int64_t, ADTAPE_TYPE_LOGICAL64)     \
    X(char, char, ADTAPE_TYPE_CHAR)                  \
    X(opaque, void *, ADTAPE_TYPE_OPAQUE)

/* The types without one in every dialect (128-bit, complex): passed by address, as bytes.
 * X(suffix, bytes, ADTAPE_TYPE_…). A complex is its real and then its imaginary part. */
#define ADTAPE_ADDRESS_TYPES_(X)                         \
    X(f128, 16, ADTAPE_TYPE_F128)                        \
    X(logical128, 16, ADTAPE_TYPE_LOGICAL128)            \
    X(complex_f32, 8, ADTAPE_TYPE_COMPLEX_F32)           \
    X(complex_f64, 16, ADTAPE_TYPE_COMPLEX_F64)          \
    X(complex_f80, 32, ADTAPE_TYPE_COMPLEX_F80)          \
    X(complex_f128, 32, ADTAPE_TYPE_COMPLEX_F128)

/* A value is read from the tape as what it is, so that it goes straight to the register where it is used: at any
 * alignment, and without a promise about the type of what is at x. Not so a long double, which comes back with its
 * padding, and a bool, of which bytes that were pushed as something else may be no value. */
#define ADTAPE_DEFINE_VALUE_(name, T, code)                                                                \
    typedef T __attribute__((may_alias, aligned(1))) ADTAPE_ON_TAPE_##name;                                \
    ADTAPE_INLINE_ void ADTAPE_LOAD_##name(T *x, const void *from) {                                       \
        if (sizeof *x > 8 || sizeof *x == 1) {                                                             \
            memcpy(x, from, sizeof *x);                                                                    \
        } else {                                                                                           \
            *(ADTAPE_ON_TAPE_##name *)x = *(const ADTAPE_ON_TAPE_##name *)from;                            \
        }                                                                                                  \
    }                                                                                                      \
    /* Pushes a value: itself, or its address where C has no type for it. Undone by adtape_pop_<type>.     \
     *                                                                                                     \
     * Errors go to the error handler: MEMORY_LIMIT, OUT_OF_MEMORY. Cost: inlined in C, one compare,       \
     * one copy, one addition; from Fortran one call, or inlined with -flto. Kit: `pushReal8`, ...         \
     * Fortran: `call push(x)`, `call push(t, x)`, one generic name for all types and kinds. */            \
    ADTAPE_INLINE_ void adtape_push_##name(adtape_t *t, T x) { adtape_push_raw_(t, &x, sizeof x, code); }  \
    /* Pops a value. Undoes adtape_push_<type>.                                                            \
     *                                                                                                     \
     * Errors go to the error handler: UNDERFLOW, in check mode MISMATCH.                                  \
     * Kit: `popReal8`, `popInteger4`, ...                                                                 \
     * Fortran: `call pop(x)`, `call pop(t, x)`. */                                                        \
    ADTAPE_INLINE_ void adtape_pop_##name(adtape_t *t, T *x) {                                             \
        const uintptr_t cur = adtape_pop_to_(t, sizeof *x, code);                                          \
        ADTAPE_LOAD_##name(x, (const void *)cur);                                                          \
        t->cur = cur;                                                                                      \
    }                                                                                                      \
    /* adtape_push_array of a type that stands in the name, inlined. */                                    \
    ADTAPE_INLINE_ void adtape_push_array_##name(adtape_t *t, T const *x, int64_t count) {                 \
        adtape_push_array_raw_(t, x, count, sizeof(T), code);                                              \
    }                                                                                                      \
    /* adtape_pop_array of a type that stands in the name, inlined. */                                     \
    ADTAPE_INLINE_ void adtape_pop_array_##name(adtape_t *t, T *x, int64_t count) {                        \
        adtape_pop_array_raw_(t, x, count, sizeof(T), code);                                               \
    }
#define ADTAPE_DEFINE_ADDRESS_(name, bytes, code)                                                          \
    ADTAPE_INLINE_ void adtape_push_##name(adtape_t *t, const void *x) {                                   \
        adtape_push_raw_(t, x, bytes, code);                                                               \
    }                                                                                                      \
    ADTAPE_INLINE_ void adtape_pop_##name(adtape_t *t, void *x) {                                          \
        const uintptr_t cur = adtape_pop_to_(t, bytes, code);                                              \
        memcpy(x, (const void *)cur, bytes);                                                               \
        t->cur = cur;                                                                                      \
    }                                                                                                      \
    ADTAPE_INLINE_ void adtape_push_array_##name(adtape_t *t, const void *x, int64_t count) {              \
        adtape_push_array_raw_(t, x, count, bytes, code);                                                  \
    }                                                                                                      \
    ADTAPE_INLINE_ void adtape_pop_array_##name(adtape_t *t, void *x, int64_t count) {                     \
        adtape_pop_array_raw_(t, x, count, bytes, code);                                                   \
    }

ADTAPE_VALUE_TYPES_(ADTAPE_DEFINE_VALUE_)
ADTAPE_ADDRESS_TYPES_(ADTAPE_DEFINE_ADDRESS_)

/* ---- records ----------------------------------------------------------------------------------- */

/* A step for each of the first elements, which compilers unroll at every level of optimisation. */
#define ADTAPE_EACH_OF_8_(STEP) STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
#define ADTAPE_RECORD_IN_(k)                                               \
    if (count > k) {                                                       \
        memcpy((char *)cur + k * sizeof *x, &x[k], sizeof *x);             \
    }
#define ADTAPE_RECORD_OUT_(k)                                              \
    if (count > k) {                                                       \
        memcpy(&x[k], (const char *)cur + k * sizeof *x, sizeof *x);       \
    }
/* Element by element, and without the address of `x` on the slow path: so the values stay in registers. An array that
 * is written by elements and read as one vector would wait for its stores. */
#define ADTAPE_DEFINE_RECORD_(name, T, code)                                                               \
    /* Pushes the values of a record, `count` of one type with one comparison: a constant, best of at most \
     * 8. On the tape it is what adtape_push_array_<type> pushes, and either pop undoes it. `x` is a local \
     * array or a compound literal, which need not lie in memory: the library never learns its address.    \
     *                                                                                                     \
     * Errors: as adtape_push_array. Cost: as one adtape_push_<type>, and a store for each other value. */ \
    ADTAPE_INLINE_ void adtape_push_record_##name(adtape_t *t, T const *x, int64_t count) {                \
        const uint64_t bytes = (uint64_t)count * sizeof(T);                                                \
        uintptr_t cur;                                                                                     \
        int64_t k;                                                                                         \
        ADTAPE_NONNULL_(t);                                                                                \
        cur = t->cur;                                                                                      \
        if (ADTAPE_RARE_((uint64_t)count - 1 >= ADTAPE_MAX_BYTES_ / sizeof(T) || cur + bytes > t->limit)) {\
            (void)adtape_push_room_(t, code, count);                                                       \
            cur = t->cur;                                                                                  \
        }                                                                                                  \
        ADTAPE_EACH_OF_8_(ADTAPE_RECORD_IN_)                                                               \
        for (k = 8; k < count; k++) {                                                                      \
            memcpy((char *)cur + (uint64_t)k * sizeof *x, &x[k], sizeof *x);                               \
        }                                                                                                  \
        t->cur = cur + bytes;                                                                              \
    }                                                                                                      \
    /* Pops the values of a record, in the order in which they were pushed. Undoes                         \
     * adtape_push_record_<type> and adtape_push_array_<type> with the same `count`.                       \
     *                                                                                                     \
     * Errors: as adtape_pop_array. */                                                                     \
    ADTAPE_INLINE_ void adtape_pop_record_##name(adtape_t *t, T *x, int64_t count) {                       \
        const uint64_t bytes = (uint64_t)count * sizeof(T);                                                \
        uintptr_t cur;                                                                                     \
        int64_t k;                                                                                         \
        ADTAPE_NONNULL_(t);                                                                                \
        cur = t->cur - bytes;                                                                              \
        if (ADTAPE_RARE_((uint64_t)count - 1 >= ADTAPE_MAX_BYTES_ / sizeof(T) ||                           \
                         adtape_lacks_(t, bytes))) {                                                       \
            (void)adtape_pop_room_(t, code, count);                                                        \
            cur = t->cur - bytes;                                                                          \
        }                                                                                                  \
        ADTAPE_EACH_OF_8_(ADTAPE_RECORD_OUT_)                                                              \
        for (k = 8; k < count; k++) {                                                                      \
            memcpy(&x[k], (const char *)cur + (uint64_t)k * sizeof *x, sizeof *x);                         \
        }                                                                                                  \
        t->cur = cur;                                                                                      \
    }
ADTAPE_VALUE_TYPES_(ADTAPE_DEFINE_RECORD_)

/* Functions of the library, for Fortran and for languages without this header. */
#define ADTAPE_DECLARE_CALLS_(name, T, code)                                                               \
    /* adtape_push_<type> on the calling thread's own tape, as a function of the library: every type by    \
     * address, for languages that cannot include `adtape.h`.                                              \
     *                                                                                                     \
     * Errors go to the error handler: as adtape_push_<type>, and NULL_POINTER where the fast path does not\
     * serve the call. */                                                                                  \
    void adtape_self_push_##name(const void *x);                                                           \
    /* adtape_pop_<type> on the calling thread's own tape, likewise. */                                    \
    void adtape_self_pop_##name(void *x);                                                                  \
    /* adtape_push_<type> on a tape by its handle, likewise. */                                            \
    void adtape_call_push_##name(adtape_t *t, const void *x);                                              \
    /* adtape_pop_<type> on a tape by its handle, likewise. */                                             \
    void adtape_call_pop_##name(adtape_t *t, void *x);
ADTAPE_VALUE_TYPES_(ADTAPE_DECLARE_CALLS_)
ADTAPE_ADDRESS_TYPES_(ADTAPE_DECLARE_CALLS_)

/* Pushes memory as it is, `bytes` bytes: a whole struct, for instance, or a derived type. Undone by adtape_pop_bytes
 * with the same number. A derived type with allocatable or pointer components is pushed component by component
 * instead: its bytes hold addresses. Errors: as adtape_push_array. */
ADTAPE_INLINE_ void adtape_push_bytes(adtape_t *t, const void *x, int64_t bytes) {
    adtape_push_array_raw_(t, x, bytes, 1, ADTAPE_TYPE_BYTES);
}
/* Pops `bytes` bytes. Undoes adtape_push_bytes. Errors: as adtape_pop_array. */
ADTAPE_INLINE_ void adtape_pop_bytes(adtape_t *t, void *x, int64_t bytes) {
    adtape_pop_array_raw_(t, x, bytes, 1, ADTAPE_TYPE_BYTES);
}

/* ---- sections ---------------------------------------------------------------------------------- */

/* Pushes a section of an n-dimensional array without a temporary copy, in array-element order. Undone by
 * adtape_pop_section with the same type and extents.
 *
 * type: ADTAPE_TYPE_…, not CONTROL or COUNT. base: address of the first element; NULL is an error unless an extent is
 * 0. rank: 0 (one value) to ADTAPE_MAX_RANK, 15. extents: `rank` numbers of elements, at least 0; dimension 0 varies
 * fastest. strides_bytes: `rank` distances in bytes between neighbours, of any sign.
 *
 * Errors go to the error handler and leave the tape unchanged: NULL_HANDLE, NULL_POINTER, BAD_ARGUMENT (rank,
 * type, negative extent), COUNT_RANGE, MEMORY_LIMIT, OUT_OF_MEMORY, or of ownership.
 * Cost: a contiguous section as an array, another one as a loop over its contiguous runs.
 * Fortran: `call push(x)`, `call pop(x)` with a section `x` of rank 1 to 7; no copy is made, but with gfortran of a
 * component `x%v` or substring. */
ADTAPE_INLINE_ void adtape_push_section(adtape_t *t, adtape_type_t type, const void *base, int32_t rank,
                                        const int64_t *extents, const int64_t *strides_bytes) {
    adtape_push_section_(t, type, base, rank, extents, strides_bytes);
    ADTAPE_NO_TAIL_CALL_();
}
/* Pops a section. Undoes adtape_push_section; the strides may differ from those of the push, so that a section is
 * popped into an array of another layout. Errors: as adtape_push_section, UNDERFLOW, and MISMATCH in check mode. */
ADTAPE_INLINE_ void adtape_pop_section(adtape_t *t, adtape_type_t type, void *base, int32_t rank,
                                        const int64_t *extents, const int64_t *strides_bytes) {
    adtape_pop_section_(t, type, base, rank, extents, strides_bytes);
    ADTAPE_NO_TAIL_CALL_();
}

/* ---- control ----------------------------------------------------------------------------------- */

/* Pushes the `bits` (1 to 64) low bits of a branch id. The rest of `value` is ignored; in check mode a value that the
 * bits do not hold is an error, because the pop would return another one. Bits are packed, in the one last-in
 * first-out order of all pushes: 62 of them take 8 bytes. Undone by adtape_pop_control with the same width.
 *
 * Errors go to the error handler: BAD_ARGUMENT (`bits`, in check mode `value`), MEMORY_LIMIT, OUT_OF_MEMORY.
 * Cost: a compare, a shift, a sum. Source: Control Flow Reversal, section 4.3. Kit: `pushControl1b` to `pushControl8b`,
 * `pushBoolean`. */
ADTAPE_INLINE_ void adtape_push_control(adtape_t *t, uint64_t value, int bits) {
    uint64_t held;
    ADTAPE_NONNULL_(t);
    held = t->bits;
    if (ADTAPE_RARE_((unsigned)bits - 1u >= 61u || held >= UINT64_C(1) << (62 - bits))) {
        adtape_push_control_(t, value, bits);
        held = t->bits;
    } else {
        held = (held << bits) + (value & ((UINT64_C(1) << bits) - 1));
    }
    t->bits = held;
}
/* Pops what adtape_push_control pushed with this width, and returns it.
 *
 * Errors go to the error handler: BAD_ARGUMENT (`bits`), UNDERFLOW, CORRUPT (no control bits lie there), in check mode
 * MISMATCH. */
ADTAPE_INLINE_ uint64_t adtape_pop_control(adtape_t *t, int bits) {
    uint64_t held, value;
    ADTAPE_NONNULL_(t);
    held = t->bits;
    if (ADTAPE_RARE_((unsigned)bits - 1u >= 61u || (int64_t)held < (int64_t)(UINT64_C(1) << bits))) {
        value = adtape_pop_control_(t, bits);
        held = t->bits;
    } else {
        value = held & ((UINT64_C(1) << bits) - 1);
        held >>= bits;
    }
    t->bits = held;
    return value;
}

/* Pushes a loop counter or block id in few bytes: 1 for 0 to 127, one more for every factor of 128, at most 10;
 * negative counts take 10. Undone by adtape_pop_count.
 *
 * Errors go to the error handler: MEMORY_LIMIT, OUT_OF_MEMORY. Cost: inlined up to 127, a call above.
 * Source: Control Flow Reversal, section 4.4. */
ADTAPE_INLINE_ void adtape_push_count(adtape_t *t, int64_t count) {
    uintptr_t cur;
    ADTAPE_NONNULL_(t);
    cur = t->cur;
    if (ADTAPE_RARE_((uint64_t)count > 127 || cur + 1 > t->limit)) {
        adtape_push_count_(t, count);
        cur = t->cur;
    } else {
        *(unsigned char *)cur = (unsigned char)count;
        cur += 1;
    }
    t->cur = cur;
}
/* Pops what adtape_push_count pushed and returns it.
 *
 * Errors go to the error handler: UNDERFLOW, CORRUPT, in check mode MISMATCH. */
ADTAPE_INLINE_ int64_t adtape_pop_count(adtape_t *t) {
    uintptr_t cur;
    int64_t count;
    ADTAPE_NONNULL_(t);
    cur = t->cur - 1;
    if (ADTAPE_RARE_(cur < t->floor || *(const unsigned char *)cur > 127)) {
        count = adtape_pop_count_(t);
        cur = t->cur;
    } else {
        count = *(const unsigned char *)cur;
    }
    t->cur = cur;
    return count;
}

#ifdef __cplusplus
}
#endif

#include "inline_local.h"

#endif
