/* descriptors.c: array descriptors that no Fortran call makes, passed to what stands behind `call push(x)`. */
#include <ISO_Fortran_binding.h>
#include <stddef.h>

static double values[16];

#if defined(CFI_type_kind_shift) /* gfortran: an external gets its own descriptors */

typedef struct descriptor {
    void *base;
    size_t offset, bytes;
    int version;
    signed char rank, type;
    signed short attribute;
    ptrdiff_t span;
    struct {
        ptrdiff_t stride, lower, upper;
    } dim[2];
} descriptor_t;

static descriptor_t describe(signed char rank) {
    const descriptor_t x = {values, 0, 8, 0, rank, 3, 0, 8, {{1, 0, 3}, {4, 0, 3}}};
    return x;
}
#define SET_EXTENT_(x, i, n) ((x).dim[i].upper = (ptrdiff_t)(n) - 1)
#define SET_STRIDE_(x, i, n) ((x).dim[i].stride = (n) / 8)
#define SET_LENGTH_(x, n) ((x).bytes = (n))

#else

typedef CFI_CDESC_T(2) descriptor_t;

static descriptor_t describe(CFI_rank_t rank) {
    const CFI_index_t extents[2] = {4, 4};
    descriptor_t x;
    CFI_establish((CFI_cdesc_t *)&x, values, CFI_attribute_other, CFI_type_double, 0, rank, extents);
    return x;
}
#define SET_EXTENT_(x, i, n) ((x).dim[i].extent = (n))
#define SET_STRIDE_(x, i, n) ((x).dim[i].sm = (n))
#define SET_LENGTH_(x, n) ((x).elem_len = (n))

#endif

void adtapeselfpusharrayrank1_(const descriptor_t *x);
void adtapeselfpoparrayrank1_(descriptor_t *x);

/* Doubles said to have 12 bytes, as under a glue that was compiled for another compiler. */
void push_wrong_length(void) {
    descriptor_t x = describe(1);
    SET_LENGTH_(x, 12);
    adtapeselfpusharrayrank1_(&x);
}

/* One element four times: a pop would write four values to one place. */
void pop_overlapping(void) {
    descriptor_t x = describe(1);
    SET_STRIDE_(x, 0, 0);
    adtapeselfpoparrayrank1_(&x);
}

/* More elements than the address space has bytes. */
void push_too_many(void) {
    descriptor_t x = describe(2);
    SET_EXTENT_(x, 0, (ptrdiff_t)1 << 40);
    SET_EXTENT_(x, 1, (ptrdiff_t)1 << 40);
    SET_STRIDE_(x, 1, 8);
    adtapeselfpusharrayrank1_(&x);
}
