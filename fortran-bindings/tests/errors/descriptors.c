/* descriptors.c: array descriptors that no Fortran call makes, passed to what stands behind `call push(x)`. */
#include <ISO_Fortran_binding.h>
#include <stddef.h>

void adtape_fortran_self_push_1(const CFI_cdesc_t *x);
void adtape_fortran_self_pop_1(CFI_cdesc_t *x);

static double values[16];

static CFI_cdesc_t *descriptor(void *storage, CFI_rank_t rank) {
    const CFI_index_t extents[2] = {4, 4};
    CFI_cdesc_t *x = storage;
    CFI_establish(x, values, CFI_attribute_other, CFI_type_double, 0, rank, extents);
    return x;
}

/* The last dimension of an assumed-size array has extent -1. */
void push_assumed_size(void) {
    CFI_CDESC_T(2) storage;
    CFI_cdesc_t *x = descriptor(&storage, 2);
    x->dim[1].extent = -1;
    adtape_fortran_self_push_1(x);
}

/* Doubles said to have 16 bytes, as under a glue that was compiled for another compiler. */
void push_wrong_length(void) {
    CFI_CDESC_T(1) storage;
    CFI_cdesc_t *x = descriptor(&storage, 1);
    x->elem_len = 16;
    x->dim[0].sm = 16;
    adtape_fortran_self_push_1(x);
}

/* One element four times: a pop would write four values to one place. */
void pop_overlapping(void) {
    CFI_CDESC_T(1) storage;
    CFI_cdesc_t *x = descriptor(&storage, 1);
    x->dim[0].sm = 0;
    adtape_fortran_self_pop_1(x);
}

/* More elements than the address space has bytes. */
void push_too_many(void) {
    CFI_CDESC_T(2) storage;
    CFI_cdesc_t *x = descriptor(&storage, 2);
    x->dim[0].extent = (CFI_index_t)1 << 40;
    x->dim[1].extent = (CFI_index_t)1 << 40;
    x->dim[1].sm = 8;
    adtape_fortran_self_push_1(x);
}
