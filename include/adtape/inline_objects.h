/* adtape/inline_objects.h: what calls on objects inline into the caller. adtape/objects.h includes it. */
#ifndef ADTAPE_INLINE_OBJECTS_H
#define ADTAPE_INLINE_OBJECTS_H

#include "objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A range lies on the tape as it begins in adtape_range_t: 32 bytes. Its kind and its label, at most 25 bits, tell it
 * from most of what else may lie there. The library says what is wrong. */
#define ADTAPE_RANGE_BYTES_ 32
ADTAPE_INLINE_ bool adtape_is_range_(const void *words) {
    uint64_t kind_and_label;
    memcpy(&kind_and_label, words, sizeof kind_and_label);
    return (kind_and_label & ~(UINT64_C(0x1ffffff) << 32 | 7)) == 0;
}

ADTAPE_INLINE_ void adtape_pop_range_(adtape_t *t, const adtape_objects_t *o, adtape_range_t *range) {
    if (ADTAPE_RARE_(t == NULL || range == NULL || t->cur - ADTAPE_RANGE_BYTES_ < t->floor ||
                     !adtape_is_range_((const void *)(t->cur - ADTAPE_RANGE_BYTES_)))) {
        (adtape_pop_range)(t, o, range);
        ADTAPE_NO_TAIL_CALL_();
        return;
    }
    t->cur -= ADTAPE_RANGE_BYTES_;
    memcpy(range, (const void *)t->cur, ADTAPE_RANGE_BYTES_);
    range->adjoint_base = NULL;
    range->adjoint_bytes = 0;
}
#define adtape_pop_range(t, o, range) adtape_pop_range_(t, o, range)

#ifdef __cplusplus
}
#endif

#endif
