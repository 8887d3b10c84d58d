/* Scalars of every type, by each of the ways in: inline, out of line with a handle, and on the thread's tape. */
#include "types.h"

static uint64_t random_state = 1;

static void check_value(const type_row_t *type, const void *actual, const void *expected) {
    CHECK_SAME(actual, expected, defined_bytes(type));
}

static void table_holds_every_scalar_type_of_the_header(void) {
    int seen[ADTAPE_TYPE_COUNT + 1] = {0};
    for (int i = 0; i < TYPES; i++) {
        CHECK(strcmp(adtape_type_name(types[i].type), types[i].name) == 0);
        seen[types[i].type]++;
    }
    for (int32_t type = ADTAPE_TYPE_I8; type <= ADTAPE_TYPE_COUNT; type++) {
        const int scalar = type != ADTAPE_TYPE_BYTES && type != ADTAPE_TYPE_CONTROL && type != ADTAPE_TYPE_COUNT;
        CHECK_I64(seen[type], scalar);
    }
}

/* Values of all types, one after the other, come back in reverse order, whichever way in takes them and whichever
 * gives them back. */
static void every_way_in_fits_every_way_out(void) {
    enum { ROUNDS = 40, VALUES = ROUNDS * TYPES };
    static unsigned char pushed[VALUES][TYPES_MOST_BYTES];
    adtape_t *t = adtape_self();
    uint64_t bytes = 0;
    for (int i = 0; i < VALUES; i++) {
        const type_row_t *type = &types[i % TYPES];
        random_values(&random_state, type, pushed[i], 1);
        switch ((i / TYPES + i) % 3) {
        case 0: type->push(t, pushed[i]); break;
        case 1: type->call_push(t, pushed[i]); break;
        default: type->self_push(pushed[i]);
        }
        bytes += type->bytes;
        CHECK_U64(stats_of(t).bytes, bytes);
    }
    for (int i = VALUES - 1; i >= 0; i--) {
        const type_row_t *type = &types[i % TYPES];
        unsigned char popped[TYPES_MOST_BYTES];
        memset(popped, 0xEE, sizeof popped);
        switch ((i / TYPES + 2 * i) % 3) {
        case 0: type->pop(t, popped); break;
        case 1: type->call_pop(t, popped); break;
        default: type->self_pop(popped);
        }
        check_value(type, popped, pushed[i]);
        for (size_t beyond = type->bytes; beyond < sizeof popped; beyond++) {
            CHECK_U64(popped[beyond], 0xEE);
        }
        bytes -= type->bytes;
        CHECK_U64(stats_of(t).bytes, bytes);
    }
}

static void local_cursor_takes_every_type_by_value(void) {
    enum { ROUNDS = 2000 };
    adtape_t *t = new_tape();
    unsigned char pushed[TYPES_MOST_BYTES], popped[TYPES_MOST_BYTES];
    for (int i = 0; i < TYPES; i++) {
        const type_row_t *type = &types[i];
        adtape_local_t local;
        uint64_t state = random_state;
        if (type->local_push == NULL) {
            continue;
        }
        CHECK_OK(adtape_attach(t, &local));
        for (int n = 0; n < ROUNDS; n++) {
            uint64_t value_state = state + (uint64_t)n;
            random_values(&value_state, type, pushed, 1);
            type->local_push(&local, pushed);
        }
        CHECK_OK(adtape_detach(&local));
        CHECK_U64(stats_of(t).bytes, ROUNDS * type->bytes);
        CHECK_OK(adtape_attach(t, &local));
        for (int n = ROUNDS - 1; n >= 0; n--) {
            uint64_t value_state = state + (uint64_t)n;
            random_values(&value_state, type, pushed, 1);
            type->local_pop(&local, popped);
            check_value(type, popped, pushed);
        }
        CHECK_OK(adtape_detach(&local));
        CHECK_U64(stats_of(t).bytes, 0);
    }
    CHECK_OK(adtape_destroy(t));
}

/* Typed by hand, as a program would: the wrappers of types.h go through memcpy. */
static void values_are_passed_as_c_types(void) {
    adtape_t *t = adtape_self();
    const long double third = 1.0L / 3.0L;
    const float complex_value[2] = {1.5f, -2.5f};
    float popped_complex[2] = {0, 0};
    int target = 0;
    void *pointer = NULL;
    bool truth = false;
    char letter = 0;
    long double real10 = 0;
    int8_t small = 0;
    float single = 0;
    adtape_push_f80(t, third);
    adtape_push_bool(t, true);
    adtape_push_char(t, 'x');
    adtape_push_opaque(t, &target);
    adtape_push_i8(t, -128);
    adtape_push_f32(t, 0.1f);
    adtape_push_complex_f32(t, complex_value);
    adtape_pop_complex_f32(t, popped_complex);
    adtape_pop_f32(t, &single);
    adtape_pop_i8(t, &small);
    adtape_pop_opaque(t, &pointer);
    adtape_pop_char(t, &letter);
    adtape_pop_bool(t, &truth);
    adtape_pop_f80(t, &real10);
    CHECK(real10 == third && truth && letter == 'x' && pointer == &target && small == -128 && single == 0.1f);
    CHECK_SAME(popped_complex, complex_value, sizeof complex_value);
}

int main(void) {
    table_holds_every_scalar_type_of_the_header();
    every_way_in_fits_every_way_out();
    local_cursor_takes_every_type_by_value();
    values_are_passed_as_c_types();
    return 0;
}
