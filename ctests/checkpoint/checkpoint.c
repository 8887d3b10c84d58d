/* Checkpoints: sections of every type, arrays and allocatables, written, inspected and read back. */
#include "check.h"

static adtape_store_t *store;

static adtape_checkpoint_t *create(const char *name) {
    adtape_checkpoint_t *c = NULL;
    CHECK_OK(adtape_checkpoint_create(store, name, &c));
    return c;
}

static adtape_checkpoint_t *open_(const char *name) {
    adtape_checkpoint_t *c = NULL;
    CHECK_OK(adtape_checkpoint_open(store, name, &c));
    return c;
}

static void values_of_every_type_come_back(void) {
    unsigned char values[320], found[320];
    adtape_checkpoint_t *c = create("types");
    char name[20];
    for (int i = 0; i < 320; i++) {
        values[i] = (unsigned char)(i * 7);
    }
    for (int type = ADTAPE_TYPE_I8; type <= ADTAPE_TYPE_OPAQUE; type++) {
        CHECK_OK(adtape_checkpoint_write(c, adtape_type_name(type), type, values, 10));
    }
    CHECK_STATUS(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_CONTROL, values, 1), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_STATUS(adtape_checkpoint_write(c, "x", 99, values, 1), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_OK(adtape_checkpoint_commit(c));
    c = open_("types");
    for (int type = ADTAPE_TYPE_I8; type <= ADTAPE_TYPE_OPAQUE; type++) {
        adtape_section_t s;
        CHECK_OK(adtape_checkpoint_next(c, 0, &s));
        snprintf(name, sizeof name, "%s", s.name);
        CHECK(strcmp(name, adtape_type_name(type)) == 0);
        CHECK(s.type_code == type && s.count == 10 && s.kind == ADTAPE_SECTION_VALUES && s.allocated && s.rank == 0);
        memset(found, 0, sizeof found);
        CHECK_OK(adtape_checkpoint_read(c, name, type, found, 10));
        CHECK_SAME(found, values, 10);
    }
    CHECK_OK(adtape_checkpoint_close(c));
}

static void sections_of_arrays_come_back_with_other_strides(void) {
    double a[6][5], b[4][3];
    static const int64_t extents[2] = {3, 4}, wide[2] = {8, 40}, narrow[2] = {8, 24}, turned[2] = {4, 3};
    adtape_checkpoint_t *c = create("arrays");
    for (int i = 0; i < 30; i++) {
        a[i / 5][i % 5] = i;
    }
    CHECK_OK(adtape_checkpoint_write_section(c, "inner", ADTAPE_TYPE_F64, &a[1][1], 2, NULL, extents, wide));
    CHECK_OK(adtape_checkpoint_write_section(c, "one", ADTAPE_TYPE_F64, &a[0][0], 0, NULL, NULL, NULL));
    CHECK_OK(adtape_checkpoint_commit(c));
    c = open_("arrays");
    CHECK_STATUS(adtape_checkpoint_read_section(c, "inner", ADTAPE_TYPE_F64, b, 2, turned, narrow), ADTAPE_STATUS_MISMATCH);
    CHECK_HAS(adtape_error_message(), "(3, 4)");
    CHECK_HAS(adtape_error_message(), "(4, 3)");
    CHECK_OK(adtape_checkpoint_read_section(c, "inner", ADTAPE_TYPE_F64, b, 2, extents, narrow));
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 3; j++) {
            CHECK(b[i][j] == a[i + 1][j + 1]);
        }
    }
    b[0][0] = -1;
    CHECK_OK(adtape_checkpoint_read(c, "one", ADTAPE_TYPE_F64, b, 1));
    CHECK(b[0][0] == 0);
    CHECK_OK(adtape_checkpoint_close(c));
}

static void allocatable_comes_back_with_its_bounds(void) {
    static const int64_t lower[2] = {-1, 5}, extents[2] = {2, 3}, strides[2] = {4, 8};
    static const int32_t values[6] = {1, 2, 3, 4, 5, 6};
    int32_t *again;
    adtape_section_t s;
    adtape_checkpoint_t *c = create("allocatables");
    CHECK_OK(adtape_checkpoint_write_section(c, "list", ADTAPE_TYPE_I32, values, 2, lower, extents, strides));
    CHECK_OK(adtape_checkpoint_write_section(c, "none", ADTAPE_TYPE_F64, NULL, 2, lower, NULL, NULL));
    CHECK_OK(adtape_checkpoint_commit(c));
    c = open_("allocatables");
    CHECK_OK(adtape_checkpoint_next(c, 0, &s));
    CHECK(s.kind == ADTAPE_SECTION_ALLOCATABLE && s.allocated && s.rank == 2 && s.count == 6);
    CHECK(s.lower[0] == -1 && s.lower[1] == 5 && s.extents[0] == 2 && s.extents[1] == 3);
    again = (int32_t *)malloc((size_t)s.count * sizeof *again);
    CHECK_OK(adtape_checkpoint_read_section(c, "list", s.type_code, again, s.rank, s.extents, strides));
    CHECK_SAME(again, values, sizeof values);
    free(again);
    CHECK_OK(adtape_checkpoint_next(c, 0, &s));
    CHECK(strcmp(s.name, "none") == 0 && !s.allocated && s.count == 0 && s.type_code == ADTAPE_TYPE_F64);
    CHECK_OK(adtape_checkpoint_next(c, 1, NULL));
    CHECK_OK(adtape_checkpoint_next(c, 0, &s));
    CHECK(s.name == NULL);
    CHECK_OK(adtape_checkpoint_next(c, 1, NULL));
    CHECK_OK(adtape_checkpoint_close(c));
}

static void wrong_name_type_or_count_is_said_with_what_is_there_and_changes_nothing(void) {
    double x[3] = {1, 2, 3};
    const double before[3] = {1, 2, 3};
    adtape_checkpoint_t *c = create("mismatch");
    CHECK_OK(adtape_checkpoint_write(c, "velocity", ADTAPE_TYPE_F64, x, 3));
    CHECK_STATUS(adtape_checkpoint_read(c, "velocity", ADTAPE_TYPE_F64, x, 3), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_OK(adtape_checkpoint_commit(c));
    c = open_("mismatch");
    CHECK_STATUS(adtape_checkpoint_read(c, "pressure", ADTAPE_TYPE_F64, x, 3), ADTAPE_STATUS_MISMATCH);
    CHECK_HAS(adtape_error_message(), "\"velocity\", 3 values of f64");
    CHECK_HAS(adtape_error_message(), "\"pressure\", 3 values of f64");
    CHECK_STATUS(adtape_checkpoint_read(c, "velocity", ADTAPE_TYPE_F32, x, 3), ADTAPE_STATUS_MISMATCH);
    CHECK_HAS(adtape_error_message(), "3 values of f32");
    CHECK_STATUS(adtape_checkpoint_read(c, "velocity", ADTAPE_TYPE_F64, x, 2), ADTAPE_STATUS_MISMATCH);
    CHECK_HAS(adtape_error_message(), "2 values of f64");
    CHECK_SAME(x, before, sizeof x);
    CHECK_STATUS(adtape_checkpoint_write(c, "velocity", ADTAPE_TYPE_F64, x, 3), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_OK(adtape_checkpoint_read(c, "velocity", ADTAPE_TYPE_F64, x, 3));
    CHECK_STATUS(adtape_checkpoint_read(c, "velocity", ADTAPE_TYPE_F64, x, 3), ADTAPE_STATUS_MISMATCH);
    CHECK_HAS(adtape_error_message(), "no more sections");
    CHECK_STATUS(adtape_checkpoint_commit(c), ADTAPE_STATUS_BAD_ARGUMENT);
}

static void section_is_found_by_its_name(void) {
    int64_t x = 0;
    char name[8];
    adtape_checkpoint_t *c = create("many");
    for (int64_t i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "x%d", (int)i);
        CHECK_OK(adtape_checkpoint_write(c, name, ADTAPE_TYPE_I64, &i, 1));
    }
    CHECK_OK(adtape_checkpoint_commit(c));
    c = open_("many");
    CHECK_OK(adtape_checkpoint_find(c, "x70"));
    CHECK_OK(adtape_checkpoint_read(c, "x70", ADTAPE_TYPE_I64, &x, 1));
    CHECK_I64(x, 70);
    CHECK_OK(adtape_checkpoint_find(c, "x7"));
    CHECK_OK(adtape_checkpoint_read(c, "x7", ADTAPE_TYPE_I64, &x, 1));
    CHECK_I64(x, 7);
    CHECK_STATUS(adtape_checkpoint_find(c, "x100"), ADTAPE_STATUS_NOT_FOUND);
    CHECK_OK(adtape_checkpoint_read(c, "x8", ADTAPE_TYPE_I64, &x, 1));
    CHECK_I64(x, 8);
    CHECK_OK(adtape_checkpoint_close(c));
}

static void checkpoint_outlives_its_removal_while_it_is_read(void) {
    int64_t x = 5;
    adtape_checkpoint_t *c = create("gone");
    CHECK_OK(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_I64, &x, 1));
    CHECK_OK(adtape_checkpoint_commit(c));
    c = open_("gone");
    CHECK_OK(adtape_store_remove(store, "gone"));
    x = 0;
    CHECK_OK(adtape_checkpoint_read(c, "x", ADTAPE_TYPE_I64, &x, 1));
    CHECK_I64(x, 5);
    CHECK_OK(adtape_checkpoint_close(c));
    c = create("gone");
    CHECK_OK(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_I64, &x, 1));
    CHECK_OK(adtape_checkpoint_close(c)); /* abandoned */
    CHECK_STATUS(adtape_checkpoint_open(store, "gone", &c), ADTAPE_STATUS_NOT_FOUND);
}

static void arguments_that_make_no_sense_are_refused(void) {
    adtape_checkpoint_t *c = NULL;
    double x = 0;
    static const int64_t negative[1] = {-1}, stride[1] = {8};
    CHECK_STATUS(adtape_checkpoint_create(NULL, "a", &c), ADTAPE_STATUS_NULL_HANDLE);
    CHECK_STATUS(adtape_checkpoint_create(store, NULL, &c), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_checkpoint_create(store, "a", NULL), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_checkpoint_create(store, "../a", &c), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_STATUS(adtape_checkpoint_open(store, "nothing", &c), ADTAPE_STATUS_NOT_FOUND);
    CHECK_STATUS(adtape_checkpoint_write(NULL, "x", ADTAPE_TYPE_F64, &x, 1), ADTAPE_STATUS_NULL_HANDLE);
    CHECK_STATUS(adtape_checkpoint_commit(NULL), ADTAPE_STATUS_NULL_HANDLE);
    CHECK_OK(adtape_checkpoint_close(NULL));
    c = create("a");
    CHECK_STATUS(adtape_checkpoint_write(c, NULL, ADTAPE_TYPE_F64, &x, 1), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_checkpoint_write(c, "", ADTAPE_TYPE_F64, &x, 1), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_STATUS(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_F64, NULL, 1), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_F64, &x, -1), ADTAPE_STATUS_COUNT_RANGE);
    CHECK_STATUS(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_F64, &x, INT64_MAX), ADTAPE_STATUS_COUNT_RANGE);
    CHECK_STATUS(adtape_checkpoint_write_section(c, "x", ADTAPE_TYPE_F64, &x, 1, NULL, negative, stride),
        ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_STATUS(adtape_checkpoint_write_section(c, "x", ADTAPE_TYPE_F64, &x, 99, NULL, negative, stride),
        ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_OK(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_F64, NULL, 0));
    CHECK_OK(adtape_checkpoint_commit(c));
    c = open_("a");
    CHECK_STATUS(adtape_checkpoint_next(c, -1, NULL), ADTAPE_STATUS_COUNT_RANGE);
    CHECK_OK(adtape_checkpoint_read(c, "x", ADTAPE_TYPE_F64, NULL, 0));
    CHECK_OK(adtape_checkpoint_close(c));
}

int main(void) {
    CHECK_OK(adtape_store_create_memory(0, NULL, &store));
    values_of_every_type_come_back();
    sections_of_arrays_come_back_with_other_strides();
    allocatable_comes_back_with_its_bounds();
    wrong_name_type_or_count_is_said_with_what_is_there_and_changes_nothing();
    section_is_found_by_its_name();
    checkpoint_outlives_its_removal_while_it_is_read();
    arguments_that_make_no_sense_are_refused();
    CHECK_OK(adtape_store_destroy(store));
    return 0;
}
