/* Arrays of every type: inline, with the type at run time, and on the thread's tape. */
#include "types.h"

static uint64_t random_state = 2;

enum { MOST_VALUES = 3000, MOST_BYTES = MOST_VALUES * TYPES_MOST_BYTES };
static unsigned char pushed[MOST_BYTES], popped[MOST_BYTES + 1];

static void push_by(int way, adtape_t *t, const type_row_t *type, const void *x, int64_t count) {
    switch (way % 3) {
    case 0: type->push_array(t, x, count); break;
    case 1: adtape_push_array(t, type->type, x, count); break;
    default: adtape_self_push_array(type->type, x, count);
    }
}

static void pop_by(int way, adtape_t *t, const type_row_t *type, void *x, int64_t count) {
    switch (way % 3) {
    case 0: type->pop_array(t, x, count); break;
    case 1: adtape_pop_array(t, type->type, x, count); break;
    default: adtape_self_pop_array(type->type, x, count);
    }
}

/* At every alignment, and at lengths on both sides of where the library takes over from inline memcpy. */
static void arrays_of_every_type_and_length_come_back_whole(void) {
    static const int64_t lengths[] = {1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 511,
                                      512, 513, 600, 2047, 2048, 2049, MOST_VALUES};
    adtape_t *t = adtape_self();
    for (int i = 0; i < TYPES; i++) {
        const type_row_t *type = &types[i];
        for (size_t j = 0; j < sizeof lengths / sizeof lengths[0]; j++) {
            const size_t bytes = (size_t)lengths[j] * type->bytes;
            const int ahead = (int)(j % 8);
            random_values(&random_state, type, pushed, (size_t)lengths[j]);
            for (int k = 0; k < ahead; k++) {
                adtape_push_i8(t, (int8_t)k);
            }
            push_by((int)j, t, type, pushed, lengths[j]);
            CHECK_U64(stats_of(t).bytes, bytes + (uint64_t)ahead);
            memset(popped, 0xEE, bytes + 1);
            pop_by((int)j + i, t, type, popped, lengths[j]);
            CHECK_SAME(popped, pushed, bytes);
            CHECK_U64(popped[bytes], 0xEE);
            for (int k = ahead - 1; k >= 0; k--) {
                int8_t value = 0;
                adtape_pop_i8(t, &value);
                CHECK_I64(value, k);
            }
            CHECK_U64(stats_of(t).bytes, 0);
        }
    }
}

/* Records of every length that is unrolled and of one beyond, alone and as arrays, where the tape grows too. */
#define RECORD_COMES_BACK(name, T, count)                                                              \
    do {                                                                                               \
        T record[count], before[count];                                                                \
        for (int k = 0; k < (count); k++) {                                                            \
            record[k] = (T)(10 * (count) + k);                                                         \
        }                                                                                              \
        memcpy(before, record, sizeof before);                                                         \
        adtape_push_record_##name(t, record, count);                                                   \
        adtape_push_record_##name(t, record, count);                                                   \
        adtape_push_array_##name(t, record, count);                                                    \
        CHECK_U64(stats_of(t).bytes, already + 3 * sizeof record);                                     \
        for (int way = 0; way < 3; way++) {                                                            \
            memset(record, 0xEE, sizeof record);                                                       \
            way == 1 ? adtape_pop_array_##name(t, record, count) : adtape_pop_record_##name(t, record, count); \
            for (int k = 0; k < (count); k++) {                                                        \
                CHECK(record[k] == before[k]);                                                         \
            }                                                                                          \
        }                                                                                              \
    } while (0)
static void records_come_back_as_records_and_as_arrays(void) {
    adtape_t *t = adtape_self();
    const uint64_t already = stats_of(t).bytes;
    RECORD_COMES_BACK(f64, double, 1);
    RECORD_COMES_BACK(i32, int32_t, 2);
    RECORD_COMES_BACK(f32, float, 3);
    RECORD_COMES_BACK(f80, long double, 4);
    RECORD_COMES_BACK(i64, int64_t, 5);
    RECORD_COMES_BACK(i8, int8_t, 6);
    RECORD_COMES_BACK(f64, double, 7);
    RECORD_COMES_BACK(i16, int16_t, 8);
    RECORD_COMES_BACK(f64, double, 9);
    RECORD_COMES_BACK(f64, double, 20);
    for (int i = 0; i < 300000; i++) {
        const double x = 0.5 * i;
        adtape_push_record_f64(t, (const double[]){x, -x, x + 1.0}, 3);
    }
    for (int i = 299999; i >= 0; i--) {
        double record[3];
        adtape_pop_record_f64(t, record, 3);
        CHECK(record[0] == 0.5 * i && record[1] == -0.5 * i && record[2] == 0.5 * i + 1.0);
    }
    CHECK_U64(stats_of(t).bytes, already);
}

static void bytes_of_a_struct_come_back(void) {
    struct state {
        double x[3];
        int n;
        char name[5];
    } before, after;
    adtape_t *t = adtape_self();
    memset(&before, 0, sizeof before); /* the padding too */
    before.x[2] = 3;
    before.n = 4;
    memcpy(before.name, "five", 5);
    adtape_push_bytes(t, &before, sizeof before);
    adtape_push_array(t, ADTAPE_TYPE_BYTES, &before, sizeof before);
    for (int i = 0; i < 2; i++) {
        memset(&after, 0, sizeof after);
        adtape_pop_bytes(t, &after, sizeof after);
        CHECK_SAME(&after, &before, sizeof before);
    }
}

static void array_of_none_is_legal_at_null_and_changes_nothing(void) {
    adtape_t *t = adtape_self();
    double x = 0;
    adtape_push_f64(t, 1.5);
    for (int i = 0; i < TYPES; i++) {
        for (int way = 0; way < 3; way++) {
            push_by(way, t, &types[i], NULL, 0);
            push_by(way, t, &types[i], pushed, 0);
            pop_by(way, t, &types[i], NULL, 0);
            pop_by(way, t, &types[i], popped, 0);
        }
    }
    adtape_push_bytes(t, NULL, 0);
    adtape_pop_bytes(t, NULL, 0);
    CHECK_U64(stats_of(t).bytes, 8);
    adtape_pop_f64(t, &x);
    CHECK_F64(x, 1.5);
}

/* Values lie packed, without headers: outside check mode an array may come back in pieces. */
static void array_comes_back_in_pieces(void) {
    adtape_t *t = adtape_self();
    double x[100], y[100];
    if (environment_has("ADTAPE_CHECK")) {
        return;
    }
    for (int i = 0; i < 100; i++) {
        x[i] = i;
    }
    adtape_push_array_f64(t, x, 100);
    adtape_pop_f64(t, &y[99]);
    adtape_pop_array_f64(t, y + 89, 10);
    adtape_pop_array_f64(t, y + 1, 88);
    adtape_pop_f64(t, &y[0]);
    CHECK_SAME(y, x, sizeof x);
}

/* Many times the last-level cache, so that pushes stream past it and pops read ahead; odd lengths, so that streams
 * begin anywhere in a line. */
static void arrays_beyond_the_cache_come_back_whole(void) {
    enum { ARRAYS = 90, LONGEST = 131072 };
    adtape_t *t = new_tape();
    double *x = malloc(sizeof *x * LONGEST), *y = malloc(sizeof *y * LONGEST);
    CHECK(x != NULL && y != NULL);
    uint64_t bytes = 0;
    for (int i = 0; i < ARRAYS; i++) {
        const int64_t n = LONGEST - 1237 * (i % 40);
        for (int64_t k = 0; k < n; k++) {
            x[k] = (double)(i * 1000003 + k);
        }
        adtape_push_array_f64(t, x, n);
        adtape_push_array_f64(t, x, 65 + i);
        adtape_push_i8(t, (int8_t)i);
        bytes += 8 * (uint64_t)(n + 65 + i) + 1;
    }
    CHECK_U64(stats_of(t).bytes, bytes);
    CHECK(bytes > UINT64_C(64) << 20);
    for (int i = ARRAYS - 1; i >= 0; i--) {
        const int64_t n = LONGEST - 1237 * (i % 40);
        int8_t tag = 0;
        adtape_pop_i8(t, &tag);
        CHECK_I64(tag, i);
        for (int64_t k = 0; k < n; k++) {
            x[k] = (double)(i * 1000003 + k);
        }
        adtape_pop_array_f64(t, y, 65 + i);
        CHECK_SAME(y, x, 8 * (size_t)(65 + i));
        adtape_pop_array_f64(t, y, n);
        CHECK(memcmp(y, x, 8 * (size_t)n) == 0);
    }
    CHECK_U64(stats_of(t).bytes, 0);
    CHECK_OK(adtape_destroy(t));
    free(x);
    free(y);
}

int main(void) {
    arrays_of_every_type_and_length_come_back_whole();
    records_come_back_as_records_and_as_arrays();
    bytes_of_a_struct_come_back();
    array_of_none_is_legal_at_null_and_changes_nothing();
    array_comes_back_in_pieces();
    arrays_beyond_the_cache_come_back_whole();
    return 0;
}
