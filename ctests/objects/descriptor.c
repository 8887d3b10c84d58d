/* Pointers and allocatables of Fortran, as glue code for a compiler hands them over. */
#include "check.h"

static char nowhere[8];

/* The variable of a pointer: its first word is the address. */
typedef struct variable {
    void *base;
    int64_t bounds[4];
} variable_t;

/* A pointer to doubles of rank 1. */
static adtape_descriptor_t vector(void *base, int64_t lower, int64_t extent, int64_t stride_bytes, variable_t *v) {
    adtape_descriptor_t d = {.base = base, .element_bytes = 8, .type_code = ADTAPE_TYPE_F64, .rank = 1, .variable = v};
    d.lower[0] = lower;
    d.extents[0] = extent;
    d.strides_bytes[0] = stride_bytes;
    return d;
}

static void pointer_has_its_bounds_and_strides_again_where_the_target_lies(void) {
    adtape_t *t = adtape_self();
    double x[20], moved[20], adjoint[20];
    adtape_range_t range;
    adtape_descriptor_t p = vector(&x[17], -2, 4, -32, NULL), pb;
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STACK, "x");
    CHECK_OK(adtape_abi0_push_association(t, NULL, &p, NULL));
    CHECK_U64(stats_of(t).bytes, 56);
    adtape_live_end(t, NULL, x);
    adtape_live_begin_reverse(NULL);
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, moved, adjoint, sizeof adjoint);
    p = pb = vector(NULL, 0, 0, 0, NULL);
    CHECK_OK(adtape_abi0_pop_association(t, NULL, &p, &pb, nowhere, NULL));
    CHECK(p.base == &moved[17] && pb.base == &adjoint[17]);
    CHECK(p.lower[0] == -2 && p.extents[0] == 4 && p.strides_bytes[0] == -32);
    CHECK(pb.lower[0] == -2 && pb.extents[0] == 4 && pb.strides_bytes[0] == -32);
    CHECK_U64(stats_of(t).bytes, 0);
    adtape_rebase_remove(NULL, moved);
}

static void null_takes_a_word_and_no_elements_lie_nowhere(void) {
    adtape_t *t = adtape_self();
    adtape_descriptor_t null = vector(NULL, 0, 0, 0, NULL), none = vector(&t, 5, 0, 8, NULL);
    CHECK_OK(adtape_abi0_push_association(t, NULL, &null, NULL));
    CHECK_U64(stats_of(t).bytes, 8);
    CHECK_OK(adtape_abi0_push_association(t, NULL, &none, NULL));
    none = vector(NULL, 0, 1, 0, NULL);
    CHECK_OK(adtape_abi0_pop_association(t, NULL, &none, NULL, nowhere, NULL));
    CHECK(none.base == nowhere && none.lower[0] == 5 && none.extents[0] == 0);
    null.base = &t;
    CHECK_OK(adtape_abi0_pop_association(t, NULL, &null, NULL, nowhere, NULL));
    CHECK(null.base == NULL);
}

static void variable_waits_and_its_adjoint_must_have_elements_of_the_right_size(void) {
    adtape_t *t = adtape_self();
    float x[6], moved[6];
    double adjoint[6];
    variable_t p = {0}, pb = {0};
    adtape_descriptor_t d = vector(x + 1, 1, 2, 8, &p), db = vector(NULL, 0, 0, 0, &pb);
    adtape_range_t range;
    d.element_bytes = 4;
    d.type_code = ADTAPE_TYPE_F32;
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STACK, "x (float[6])");
    adtape_live_end(t, NULL, x);
    CHECK_OK(adtape_abi0_push_association(t, NULL, &d, NULL));
    adtape_live_begin_reverse(NULL);
    CHECK_OK(adtape_abi0_pop_association(t, NULL, &d, &db, nowhere, NULL));
    CHECK(d.base == NULL && db.base == NULL && db.strides_bytes[0] == 16);
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, moved, adjoint, sizeof adjoint);
    CHECK(p.base == moved + 1 && pb.base == adjoint + 1);

    /* Now that it is there: a pointer to single precision has no place in an adjoint in double precision. */
    d = vector(moved + 1, 1, 2, 8, NULL);
    d.element_bytes = 4;
    d.type_code = ADTAPE_TYPE_F32;
    db = d;
    CHECK_OK(adtape_abi0_push_association(t, NULL, &d, NULL));
    CHECK_STATUS(adtape_abi0_pop_association(t, NULL, &d, &db, nowhere, NULL), ADTAPE_STATUS_UNEVEN);
    CHECK_HAS(adtape_error_message(), "`x` (float[6])");
    CHECK_OK(adtape_abi0_pop_association(t, NULL, &d, NULL, nowhere, NULL));

    /* What has no address cannot wait. */
    d = vector(moved + 1, 1, 2, 4, NULL);
    d.element_bytes = 4;
    d.type_code = ADTAPE_TYPE_F32;
    adtape_live_remove(NULL, moved);
    CHECK_OK(adtape_abi0_push_association(t, NULL, &d, NULL));
    CHECK_STATUS(adtape_abi0_pop_association(t, NULL, &d, NULL, nowhere, NULL), ADTAPE_STATUS_NO_RANGE);
    d.variable = &p;
    CHECK_OK(adtape_abi0_pop_association(t, NULL, &d, NULL, nowhere, NULL));
}

static void allocation_comes_back_with_values_bounds_and_range(void) {
    adtape_t *t = adtape_self();
    double x[4] = {1, 2, 3, 4}, moved[4] = {0}, adjoint[4] = {0}, *inside = &x[2];
    adtape_descriptor_t d = vector(x, 3, 4, 8, NULL), db;
    int32_t allocated = -1;
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_ALLOCATABLE, "x");
    adtape_push_pointer(t, NULL, inside);
    CHECK_OK(adtape_abi0_push_allocation(t, NULL, &d, NULL));
    adtape_live_begin_reverse(NULL);
    d = vector(x, 0, 0, 0, NULL);
    CHECK_STATUS(adtape_abi0_peek_allocation(t, NULL, &d, &allocated, NULL), ADTAPE_STATUS_BAD_ARGUMENT);
    d = vector(NULL, 0, 0, 0, NULL);
    CHECK_OK(adtape_abi0_peek_allocation(t, NULL, &d, &allocated, NULL));
    CHECK(allocated == 1 && d.lower[0] == 3 && d.extents[0] == 4);
    d.base = moved;
    db = d;
    db.base = adjoint;
    CHECK_OK(adtape_abi0_pop_allocation(t, NULL, &d, &db, NULL));
    CHECK(moved[0] == 1 && moved[3] == 4);
    adtape_pop_pointer(t, NULL, (void **)&inside, NULL);
    CHECK(inside == &moved[2]);
    CHECK_OK(adtape_abi0_undo_allocation(NULL, moved));
    CHECK_STATUS(adtape_abi0_undo_allocation(NULL, moved), ADTAPE_STATUS_NO_RANGE);

    /* Not allocated; and not registered. */
    d = vector(NULL, 0, 0, 0, NULL);
    CHECK_OK(adtape_abi0_push_allocation(t, NULL, &d, NULL));
    CHECK_OK(adtape_abi0_peek_allocation(t, NULL, &d, &allocated, NULL));
    CHECK(allocated == 0);
    CHECK_OK(adtape_abi0_pop_allocation(t, NULL, &d, NULL, NULL));
    d = vector(x, 1, 4, 8, NULL);
    CHECK_OK(adtape_abi0_push_allocation(t, NULL, &d, NULL));
    x[3] = 0;
    CHECK_OK(adtape_abi0_pop_allocation(t, NULL, &d, NULL, NULL));
    CHECK(x[3] == 4);
    CHECK_U64(stats_of(t).bytes, 0);
}

static void what_is_wrong_is_refused_and_leaves_the_tape_as_it_was(void) {
    adtape_t *t = adtape_self();
    double x[10] = {0};
    adtape_descriptor_t d = vector(&x[8], 1, 3, 8, NULL), other;
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STACK, "x (double[10])");
    CHECK_STATUS(adtape_abi0_push_association(t, NULL, &d, NULL), ADTAPE_STATUS_NO_RANGE);
    CHECK_HAS(adtape_error_message(), "from 64 to 88 bytes past the base of `x` (double[10])");
    d = vector(&x[1], 1, 3, -8, NULL);
    CHECK_STATUS(adtape_abi0_push_association(t, NULL, &d, NULL), ADTAPE_STATUS_NO_RANGE);
    d = vector(&x[8], 1, 2, 8, NULL);
    CHECK_STATUS(adtape_abi0_push_association(NULL, NULL, &d, NULL), ADTAPE_STATUS_NULL_HANDLE);
    CHECK_STATUS(adtape_abi0_push_association(t, NULL, NULL, NULL), ADTAPE_STATUS_NULL_POINTER);
    other = d;
    other.rank = ADTAPE_MAX_RANK + 1;
    CHECK_STATUS(adtape_abi0_push_association(t, NULL, &other, NULL), ADTAPE_STATUS_BAD_ARGUMENT);
    other = d;
    other.type_code = ADTAPE_TYPE_COUNT;
    CHECK_STATUS(adtape_abi0_push_association(t, NULL, &other, NULL), ADTAPE_STATUS_BAD_ARGUMENT);
    other = vector(x, 1, 9, 8, NULL);
    CHECK_STATUS(adtape_abi0_push_allocation(t, NULL, &other, NULL), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_HAS(adtape_error_message(), "an array of 72 bytes");
    CHECK_U64(stats_of(t).bytes, 0);

    CHECK_OK(adtape_abi0_push_association(t, NULL, &d, NULL));
    other = d;
    other.rank = 2;
    CHECK_STATUS(adtape_abi0_pop_association(t, NULL, &other, NULL, nowhere, NULL), ADTAPE_STATUS_MISMATCH);
    CHECK_HAS(adtape_error_message(), "a pointer to f64 of rank 1");
    other = d;
    other.element_bytes = 4;
    CHECK_STATUS(adtape_abi0_pop_association(t, NULL, &other, NULL, nowhere, NULL), ADTAPE_STATUS_MISMATCH);
    CHECK_OK(adtape_abi0_pop_association(t, NULL, &d, NULL, nowhere, NULL));
    CHECK_STATUS(adtape_abi0_error(ADTAPE_STATUS_IO, "said so"), ADTAPE_STATUS_IO);
    CHECK_HAS(adtape_error_message(), "said so");
    adtape_live_remove(NULL, x);
}

/* Where the values of an array have room on the tape and its bounds have not, neither is there. */
static void allocation_whose_bounds_have_no_room_leaves_the_tape_as_it_was_and_its_range_alive(void) {
    static double x[8191]; /* with the value below it so many whole pages */
    adtape_descriptor_t d = vector(x, 1, 8191, 8, NULL);
    adtape_range_t range;
    double one = 0;
    int without_bounds = 0;
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_ALLOCATABLE, "x");
    for (uint64_t left = 0; left <= 40 * 4096; left += 4096) {
        adtape_t *t = NULL;
        adtape_memory_t memory;
        adtape_status_t status;
        CHECK_OK(adtape_create(&t));
        adtape_push_f64(t, 1);
        CHECK_OK(adtape_process_memory(&memory));
        CHECK_OK(adtape_process_set_memory_limit(memory.committed_bytes + left));
        status = adtape_abi0_push_allocation(t, NULL, &d, NULL);
        CHECK_OK(adtape_process_set_memory_limit(0));
        if (status == ADTAPE_STATUS_OK) {
            d = vector(NULL, 0, 0, 0, NULL);
            CHECK_OK(adtape_abi0_peek_allocation(t, NULL, &d, &(int32_t){0}, NULL));
            d.base = x;
            adtape_live_begin_reverse(NULL);
            CHECK_OK(adtape_abi0_pop_allocation(t, NULL, &d, NULL, NULL));
        } else {
            CHECK_STATUS(status, ADTAPE_STATUS_MEMORY_LIMIT);
            without_bounds += strstr(adtape_error_message(), "push of a descriptor") != NULL;
        }
        CHECK_U64(stats_of(t).bytes, 8);
        adtape_pop_f64(t, &one);
        CHECK_F64(one, 1);
        CHECK_OK(adtape_live_find(NULL, x, &range));
        CHECK_OK(adtape_destroy(t));
    }
    CHECK(without_bounds > 0);
    CHECK_OK(adtape_abi0_undo_allocation(NULL, x));
}

int main(void) {
    pointer_has_its_bounds_and_strides_again_where_the_target_lies();
    null_takes_a_word_and_no_elements_lie_nowhere();
    variable_waits_and_its_adjoint_must_have_elements_of_the_right_size();
    allocation_comes_back_with_values_bounds_and_range();
    what_is_wrong_is_refused_and_leaves_the_tape_as_it_was();
    allocation_whose_bounds_have_no_room_leaves_the_tape_as_it_was_and_its_range_alive();
    return 0;
}
