/* types.h: the table of scalar types with every way to push and pop one, made from the header's own tables. */
#ifndef TYPES_H
#define TYPES_H

#include <float.h>

#include "check.h"

typedef void push_t(adtape_t *t, const void *x);
typedef void pop_t(adtape_t *t, void *x);
typedef void push_array_t(adtape_t *t, const void *x, int64_t count);
typedef void pop_array_t(adtape_t *t, void *x, int64_t count);
typedef void local_push_t(adtape_local_t *l, const void *x);
typedef void local_pop_t(adtape_local_t *l, void *x);

typedef struct {
    const char *name;
    adtape_type_t type;
    size_t bytes;
    push_t *push; /* inline */
    pop_t *pop;
    push_array_t *push_array;
    pop_array_t *pop_array;
    push_t *call_push; /* out of line */
    pop_t *call_pop;
    void (*self_push)(const void *x);
    void (*self_pop)(void *x);
    local_push_t *local_push; /* this and all below: NULL for types that are passed by address */
    local_pop_t *local_pop;
    push_array_t *push_record;
    pop_array_t *pop_record;
} type_row_t;

/* Each macro pastes its argument at once: handed on to another macro, `bool` would become `_Bool`. */
#define TYPES_VALUE_(name, T, code)                                                             \
    static void row_push_##name(adtape_t *t, const void *x) {                                   \
        T value;                                                                                \
        memcpy(&value, x, sizeof value);                                                        \
        adtape_push_##name(t, value);                                                           \
    }                                                                                           \
    static void row_pop_##name(adtape_t *t, void *x) { adtape_pop_##name(t, (T *)x); }          \
    static void row_local_push_##name(adtape_local_t *l, const void *x) {                       \
        T value;                                                                                \
        memcpy(&value, x, sizeof value);                                                        \
        adtape_local_push_##name(l, value);                                                     \
    }                                                                                           \
    static void row_local_pop_##name(adtape_local_t *l, void *x) { adtape_local_pop_##name(l, (T *)x); } \
    static void row_push_array_##name(adtape_t *t, const void *x, int64_t count) {              \
        adtape_push_array_##name(t, (T const *)x, count);                                       \
    }                                                                                           \
    static void row_pop_array_##name(adtape_t *t, void *x, int64_t count) {                     \
        adtape_pop_array_##name(t, (T *)x, count);                                              \
    }                                                                                           \
    static void row_push_record_##name(adtape_t *t, const void *x, int64_t count) {             \
        adtape_push_record_##name(t, (T const *)x, count);                                      \
    }                                                                                           \
    static void row_pop_record_##name(adtape_t *t, void *x, int64_t count) {                    \
        adtape_pop_record_##name(t, (T *)x, count);                                             \
    }
#define TYPES_ADDRESS_(name, bytes, code)                                                       \
    static void row_push_##name(adtape_t *t, const void *x) { adtape_push_##name(t, x); }       \
    static void row_pop_##name(adtape_t *t, void *x) { adtape_pop_##name(t, x); }               \
    static void row_push_array_##name(adtape_t *t, const void *x, int64_t count) {              \
        adtape_push_array_##name(t, x, count);                                                  \
    }                                                                                           \
    static void row_pop_array_##name(adtape_t *t, void *x, int64_t count) {                     \
        adtape_pop_array_##name(t, x, count);                                                   \
    }

ADTAPE_VALUE_TYPES_(TYPES_VALUE_)
ADTAPE_ADDRESS_TYPES_(TYPES_ADDRESS_)

#define TYPES_VALUE_ROW_(name, T, code)                                                         \
    {#name, code, sizeof(T), row_push_##name, row_pop_##name, row_push_array_##name, row_pop_array_##name, \
     adtape_call_push_##name, adtape_call_pop_##name, adtape_self_push_##name, adtape_self_pop_##name, \
     row_local_push_##name, row_local_pop_##name, row_push_record_##name, row_pop_record_##name},
#define TYPES_ADDRESS_ROW_(name, bytes, code)                                                   \
    {#name, code, bytes, row_push_##name, row_pop_##name, row_push_array_##name, row_pop_array_##name, \
     adtape_call_push_##name, adtape_call_pop_##name, adtape_self_push_##name, adtape_self_pop_##name, \
     NULL, NULL, NULL, NULL},

static const type_row_t types[] = {ADTAPE_VALUE_TYPES_(TYPES_VALUE_ROW_) ADTAPE_ADDRESS_TYPES_(TYPES_ADDRESS_ROW_)};

enum { TYPES = sizeof types / sizeof types[0] };

#define TYPES_MOST_BYTES 32

/* x86 writes 10 bytes of a long double; the other 6 are padding, which passing by value need not keep. */
static inline size_t defined_bytes(const type_row_t *type) {
    return type->type == ADTAPE_TYPE_F80 && LDBL_MANT_DIG == 64 ? 10 : type->bytes;
}

/* `count` values of a type: any bytes, but for types of which not all bytes are a value. Long doubles are small
 * integers, which are exact also where they are emulated by doubles. */
CHECK_UNUSED_ static void random_values(uint64_t *state, const type_row_t *type, void *values, size_t count) {
    unsigned char *to = (unsigned char *)values;
    if (type->type == ADTAPE_TYPE_F80 || type->type == ADTAPE_TYPE_COMPLEX_F80) {
        memset(to, 0, count * type->bytes);
        for (size_t at = 0; at < count * type->bytes; at += sizeof(long double)) {
            const long double value = (long double)(int32_t)random_word(state);
            memcpy(to + at, &value, LDBL_MANT_DIG == 64 ? 10 : sizeof value);
        }
        return;
    }
    random_bytes(state, to, count * type->bytes);
    if (type->type == ADTAPE_TYPE_BOOL) {
        for (size_t i = 0; i < count; i++) {
            to[i] &= 1;
        }
    }
}

#endif
