/* sections.h: random strided sections and their elements one by one, for tests. */
#ifndef SECTIONS_H
#define SECTIONS_H

#include "check.h"

enum { MOST_RANK = 15 };

typedef struct {
    int32_t rank;
    int64_t extents[MOST_RANK], strides[MOST_RANK];
    int64_t count; /* elements */
    int64_t base;  /* offset of the first element from the lowest address of any */
    int64_t span;  /* bytes from the lowest address to beyond the highest */
} section_t;

/* A section of given extents with random steps and directions. Dimensions are laid around each other in a random
 * order, each beyond all that lie inside it, so that elements do not overlap. */
CHECK_UNUSED_ static section_t random_section(uint64_t *state, int32_t rank, const int64_t *extents, size_t bytes) {
    section_t section;
    int32_t order[MOST_RANK];
    int64_t inner = (int64_t)bytes;
    memset(&section, 0, sizeof section);
    section.rank = rank;
    section.count = 1;
    for (int32_t d = 0; d < rank; d++) {
        order[d] = d;
        section.extents[d] = extents[d];
        section.count *= extents[d];
    }
    for (int32_t d = rank - 1; d > 0; d--) {
        const int32_t other = (int32_t)random_below(state, (uint64_t)d + 1), swap = order[d];
        if (random_below(state, 2) == 0) {
            order[d] = order[other];
            order[other] = swap;
        }
    }
    for (int32_t i = 0; i < rank; i++) {
        const int32_t d = order[i];
        const int64_t stride = inner + (int64_t)(random_below(state, 3) * random_below(state, 4));
        const int64_t reach = extents[d] > 0 ? stride * (extents[d] - 1) : 0;
        const int backward = random_below(state, 3) == 0;
        section.strides[d] = backward ? -stride : stride;
        section.base += backward ? reach : 0;
        inner = reach + stride;
    }
    section.span = inner;
    return section;
}

/* Copies between the elements of a section, which starts `base` bytes into `memory`, and a contiguous array in
 * array-element order: dimension 0 fastest. */
CHECK_UNUSED_ static void copy_section(const section_t *section, size_t bytes, unsigned char *memory,
                                       unsigned char *array, int gather) {
    int64_t index[MOST_RANK] = {0};
    for (int64_t n = 0; n < section->count; n++) {
        int64_t offset = section->base;
        for (int32_t d = 0; d < section->rank; d++) {
            offset += index[d] * section->strides[d];
        }
        if (gather) {
            memcpy(array + (size_t)n * bytes, memory + offset, bytes);
        } else {
            memcpy(memory + offset, array + (size_t)n * bytes, bytes);
        }
        for (int32_t d = 0; d < section->rank && ++index[d] == section->extents[d]; d++) {
            index[d] = 0;
        }
    }
}

#endif
