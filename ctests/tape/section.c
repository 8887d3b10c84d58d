/* Strided sections of 0 to 15 dimensions, against a gather by nested indices. */
#include "sections.h"
#include "types.h"

static uint64_t random_state = 3;

enum { ARENA = 1 << 16 };
static unsigned char memory[ARENA], before[ARENA], gathered[ARENA], found[ARENA];

static void round_trip(const type_row_t *type, int32_t rank, const int64_t *extents) {
    adtape_t *t = adtape_self();
    const section_t from = random_section(&random_state, rank, extents, type->bytes);
    const section_t to = random_section(&random_state, rank, extents, type->bytes);
    CHECK(from.span <= ARENA && to.span <= ARENA);
    const uint64_t bytes = (uint64_t)from.count * type->bytes;
    random_bytes(&random_state, memory, ARENA);
    memcpy(before, memory, ARENA);
    copy_section(&from, type->bytes, memory, gathered, 1);

    adtape_push_section(t, type->type, memory + from.base, rank, from.extents, from.strides);
    CHECK_SAME(memory, before, ARENA);
    CHECK_U64(stats_of(t).bytes, bytes);
    if (from.count > 0) {
        /* On the tape they are an array in array-element order. */
        adtape_pop_array(t, type->type, found, from.count);
        CHECK_SAME(found, gathered, bytes);
        adtape_push_array(t, type->type, found, from.count);
    }
    random_bytes(&random_state, memory, ARENA);
    memcpy(before, memory, ARENA);
    adtape_pop_section(t, type->type, memory + to.base, rank, to.extents, to.strides);
    copy_section(&to, type->bytes, before, gathered, 0);
    CHECK_SAME(memory, before, ARENA);
    CHECK_U64(stats_of(t).bytes, 0);
}

static void sections_of_every_type_and_rank_come_back(void) {
    int64_t extents[MOST_RANK];
    for (int n = 0; n < 1500; n++) {
        const int32_t rank = n % 8;
        const uint64_t most = rank <= 2 ? 7 : rank <= 4 ? 3 : 2;
        for (int32_t d = 0; d < rank; d++) {
            extents[d] = 1 + (int64_t)random_below(&random_state, most);
        }
        if (rank > 0 && n % 50 == 0) {
            extents[random_below(&random_state, (uint64_t)rank)] = 0;
        }
        round_trip(&types[n % TYPES], rank, extents);
    }
}

static void fifteen_dimensions_are_allowed(void) {
    int64_t extents[MOST_RANK];
    for (int32_t d = 0; d < MOST_RANK; d++) {
        extents[d] = d % 4 == 1 ? 2 : 1;
    }
    for (int n = 0; n < 50; n++) {
        round_trip(&types[n % TYPES], MOST_RANK, extents);
    }
}

/* All of them longer than 1, none continuing the one before: nothing can be merged. */
static void fifteen_dimensions_with_gaps_come_back(void) {
    adtape_t *t = adtape_self();
    section_t section = {.rank = MOST_RANK, .count = 1};
    int64_t stride = 2;
    for (int32_t d = 0; d < MOST_RANK; d++) {
        section.extents[d] = 2;
        section.strides[d] = stride;
        section.count *= 2;
        stride = 2 * stride + 1;
    }
    unsigned char *from = malloc((size_t)stride), *elements = malloc((size_t)section.count);
    unsigned char *to = calloc((size_t)stride, 1), *expected = calloc((size_t)stride, 1);
    CHECK(from != NULL && to != NULL && expected != NULL && elements != NULL);
    random_bytes(&random_state, from, (size_t)stride);
    copy_section(&section, 1, from, elements, 1);
    copy_section(&section, 1, expected, elements, 0);
    adtape_push_section(t, ADTAPE_TYPE_I8, from, section.rank, section.extents, section.strides);
    CHECK_U64(stats_of(t).bytes, 32768);
    adtape_pop_section(t, ADTAPE_TYPE_I8, to, section.rank, section.extents, section.strides);
    CHECK_SAME(to, expected, (size_t)stride);
    free(from);
    free(to);
    free(expected);
    free(elements);
}

static void rank_zero_is_one_value(void) {
    adtape_t *t = adtape_self();
    double x = 2.5, y = 0;
    adtape_push_section(t, ADTAPE_TYPE_F64, &x, 0, NULL, NULL);
    CHECK_U64(stats_of(t).bytes, 8);
    adtape_pop_f64(t, &y);
    CHECK_F64(y, 2.5);
}

static void empty_section_is_legal_at_null(void) {
    adtape_t *t = adtape_self();
    const int64_t extents[2] = {3, 0}, strides[2] = {8, 24};
    adtape_push_section(t, ADTAPE_TYPE_F64, NULL, 2, extents, strides);
    adtape_pop_section(t, ADTAPE_TYPE_F64, NULL, 2, extents, strides);
    CHECK_U64(stats_of(t).bytes, 0);
}

/* A stride of 0 repeats an element: legal to push. */
static void stride_zero_pushes_the_same_element_again(void) {
    adtape_t *t = adtape_self();
    const int64_t extents[1] = {4}, strides[1] = {0};
    const double x = 7;
    double y[4];
    adtape_push_section(t, ADTAPE_TYPE_F64, &x, 1, extents, strides);
    adtape_pop_array_f64(t, y, 4);
    for (int i = 0; i < 4; i++) {
        CHECK_F64(y[i], 7);
    }
}

/* Every second row and third column of a matrix: large enough for several commit steps. */
static void large_section_comes_back(void) {
    enum { ROWS = 1000, COLUMNS = 900 };
    adtape_t *t = adtape_self();
    double *x = malloc(sizeof *x * ROWS * COLUMNS), *y = calloc(ROWS * COLUMNS, sizeof *y);
    const int64_t extents[2] = {ROWS / 2, COLUMNS / 3}, strides[2] = {16, -3 * 8 * ROWS};
    CHECK(x != NULL && y != NULL);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        x[i] = i + 1;
    }
    const size_t base = (size_t)(COLUMNS - 3) * ROWS;
    adtape_push_section(t, ADTAPE_TYPE_F64, x + base, 2, extents, strides);
    adtape_pop_section(t, ADTAPE_TYPE_F64, y + base, 2, extents, strides);
    for (int column = 0; column < COLUMNS; column++) {
        for (int row = 0; row < ROWS; row++) {
            const int i = column * ROWS + row, taken = column % 3 == 0 && row % 2 == 0;
            CHECK_F64(y[i], taken ? x[i] : 0);
        }
    }
    free(x);
    free(y);
}

int main(void) {
    sections_of_every_type_and_rank_come_back();
    fifteen_dimensions_are_allowed();
    fifteen_dimensions_with_gaps_come_back();
    rank_zero_is_one_value();
    empty_section_is_legal_at_null();
    stride_zero_pushes_the_same_element_again();
    large_section_comes_back();
    return 0;
}
