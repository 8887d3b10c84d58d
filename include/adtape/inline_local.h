/* adtape/inline_local.h: the fast path of a local cursor. adtape/inline.h includes it. */
#ifndef ADTAPE_INLINE_LOCAL_H
#define ADTAPE_INLINE_LOCAL_H

#include "inline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a local copy of the cursor, for hot loops --------------------------------------------------- */

/* Between adtape_attach(t, &c) and adtape_detach(&c) the tape is used through c alone, which the compiler can
 * keep in registers (do not store its address); a call through t in between is an error. */
ADTAPE_COLD_ void adtape_local_push_room_(adtape_t *c, adtape_type_t type) {
    (void)adtape_abi0_push_room(c, type, 1, __builtin_return_address(0));
}
ADTAPE_COLD_ void adtape_local_pop_room_(adtape_t *c, adtape_type_t type) {
    (void)adtape_abi0_pop_room(c, type, 1, __builtin_return_address(0));
}
/* Attaching and detaching go through a copy: the address of *l itself never escapes, or the compiler would have to keep
 * it in memory. */
ADTAPE_INLINE_ adtape_status_t adtape_attach_(adtape_t *t, adtape_local_t *l) {
    adtape_local_t copy = {{64, 64, 64, UINT64_C(1) << 63, 0, NULL}}; /* closed, for when it fails */
    const adtape_status_t status = adtape_attach(t, l == NULL ? NULL : &copy);
    if (l != NULL) {
        *l = copy;
    }
    return status;
}
ADTAPE_INLINE_ adtape_status_t adtape_detach_(adtape_local_t *l) {
    adtape_local_t copy;
    adtape_status_t status;
    if (l == NULL) {
        return adtape_detach(NULL);
    }
    copy = *l;
    status = adtape_detach(&copy);
    *l = copy;
    return status;
}
#define adtape_attach(t, l) adtape_attach_(t, l)
#define adtape_detach(l) adtape_detach_(l)

ADTAPE_INLINE_ void adtape_local_push_raw_(adtape_local_t *l, const void *x, uintptr_t bytes, adtape_type_t type) {
    uintptr_t end = l->c.cur + bytes;
    ADTAPE_OPAQUE_(end);
    if (ADTAPE_RARE_(end > l->c.limit)) {
        adtape_t copy = l->c; /* only the copy's address escapes */
        copy.cur = end - bytes;
        adtape_local_push_room_(&copy, type);
        l->c = copy;
        end = copy.cur + bytes;
    }
    memcpy((void *)(end - bytes), x, bytes);
    l->c.cur = end;
}
ADTAPE_INLINE_ const void *adtape_local_pop_at_(adtape_local_t *l, uintptr_t bytes, adtape_type_t type) {
    uintptr_t cur = l->c.cur - bytes;
    ADTAPE_OPAQUE_(cur);
    if (ADTAPE_RARE_(cur < l->c.floor)) {
        adtape_t copy = l->c;
        copy.cur = cur + bytes;
        adtape_local_pop_room_(&copy, type);
        l->c = copy;
        cur = copy.cur - bytes;
    }
    l->c.cur = cur;
    return (const void *)cur;
}
#define ADTAPE_DEFINE_LOCAL_VALUE_(name, T, code)                                                \
    /* adtape_push_<type> on a local cursor, of the types that C passes by value. */             \
    ADTAPE_INLINE_ void adtape_local_push_##name(adtape_local_t *l, T x) {                       \
        adtape_local_push_raw_(l, &x, sizeof x, code);                                           \
    }                                                                                            \
    /* adtape_pop_<type> on a local cursor. */                                                   \
    ADTAPE_INLINE_ void adtape_local_pop_##name(adtape_local_t *l, T *x) {                       \
        ADTAPE_LOAD_##name(x, adtape_local_pop_at_(l, sizeof *x, code));                         \
    }
ADTAPE_VALUE_TYPES_(ADTAPE_DEFINE_LOCAL_VALUE_)

/* adtape_push_control on a local cursor. */
ADTAPE_INLINE_ void adtape_local_push_control(adtape_local_t *l, uint64_t value, int bits) {
    if (ADTAPE_RARE_((unsigned)bits - 1u >= 61u || l->c.bits >= UINT64_C(1) << (62 - bits))) {
        adtape_t copy = l->c;
        adtape_push_control_(&copy, value, bits);
        l->c = copy;
        return;
    }
    l->c.bits = (l->c.bits << bits) + (value & ((UINT64_C(1) << bits) - 1));
}
/* adtape_pop_control on a local cursor. */
ADTAPE_INLINE_ uint64_t adtape_local_pop_control(adtape_local_t *l, int bits) {
    uint64_t value;
    if (ADTAPE_RARE_((unsigned)bits - 1u >= 61u || (int64_t)l->c.bits < (int64_t)(UINT64_C(1) << bits))) {
        adtape_t copy = l->c;
        value = adtape_pop_control_(&copy, bits);
        l->c = copy;
        return value;
    }
    value = l->c.bits & ((UINT64_C(1) << bits) - 1);
    l->c.bits >>= bits;
    return value;
}

#ifdef __cplusplus
}
#endif

#endif
