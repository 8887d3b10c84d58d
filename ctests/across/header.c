/* The header: every inline function is instantiated, in whatever dialect of C or C++ this is compiled as. Plain
 * C99 and C++ alike, without the other test headers, so that what warns is the header. */
#include "adtape.h"

#include <stdio.h>
#include <stdlib.h>

static int failures = 0;

static void expect(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s: not what was pushed\n", what);
        failures++;
    }
}

static unsigned char bytes_of[3][64];

/* Any bytes; of a bool, 0 or 1. */
static void make_bytes(int one) {
    size_t i;
    for (i = 0; i < sizeof bytes_of[0]; i++) {
        bytes_of[0][i] = (unsigned char)(one ? 1 : i % 3);
        bytes_of[1][i] = bytes_of[2][i] = 0;
    }
}

#define STR(name) #name

#define USE_VALUE(name, T, code)                                                                 \
    static void use_##name(adtape_t *t) {                                                        \
        T x[2]; T y[2];                                                                            \
        adtape_local_t local;                                                                    \
        make_bytes(code == ADTAPE_TYPE_BOOL || code == ADTAPE_TYPE_F80);                         \
        memset(x, 0, sizeof x); /* padding and all */                                            \
        memset(y, 0, sizeof y);                                                                  \
        if (code != ADTAPE_TYPE_F80) {                                                           \
            memcpy(x, bytes_of[0], sizeof x);                                                    \
        }                                                                                        \
        adtape_push_##name(t, x[0]);                                                             \
        adtape_push_array_##name(t, x, 2);                                                       \
        adtape_pop_array_##name(t, y, 2);                                                        \
        expect(memcmp(x, y, sizeof x) == 0, STR(name) " array");                                 \
        memset(y, 0, sizeof y);                                                                  \
        adtape_pop_##name(t, &y[0]);                                                             \
        expect(x[0] == y[0] || memcmp(&x[0], &y[0], sizeof x[0]) == 0, STR(name));               \
        expect(adtape_attach(t, &local) == ADTAPE_STATUS_OK, "attach");                          \
        adtape_local_push_##name(&local, x[1]);                                                  \
        adtape_local_pop_##name(&local, &y[1]);                                                  \
        expect(x[1] == y[1] || memcmp(&x[1], &y[1], sizeof x[1]) == 0, STR(name) " local");      \
        expect(adtape_detach(&local) == ADTAPE_STATUS_OK, "detach");                             \
        adtape_self_push_##name(&x[0]);                                                          \
        adtape_self_pop_##name(&y[0]);                                                           \
        adtape_call_push_##name(t, &x[0]);                                                       \
        adtape_call_pop_##name(t, &y[0]);                                                        \
        expect(x[0] == y[0] || memcmp(&x[0], &y[0], sizeof x[0]) == 0, STR(name) " out of line"); \
    }
#define USE_ADDRESS(name, bytes, code)                                                           \
    static void use_##name(adtape_t *t) {                                                        \
        make_bytes(0);                                                                           \
        adtape_push_##name(t, bytes_of[0]);                                                      \
        adtape_push_array_##name(t, bytes_of[0], 2);                                             \
        adtape_pop_array_##name(t, bytes_of[1], 2);                                              \
        expect(memcmp(bytes_of[0], bytes_of[1], 2 * bytes) == 0, STR(name) " array");            \
        adtape_pop_##name(t, bytes_of[2]);                                                       \
        expect(memcmp(bytes_of[0], bytes_of[2], bytes) == 0, STR(name));                         \
        adtape_self_push_##name(bytes_of[0]);                                                    \
        adtape_self_pop_##name(bytes_of[2]);                                                     \
        adtape_call_push_##name(t, bytes_of[0]);                                                 \
        adtape_call_pop_##name(t, bytes_of[2]);                                                  \
        expect(memcmp(bytes_of[0], bytes_of[2], bytes) == 0, STR(name) " out of line");          \
    }

ADTAPE_VALUE_TYPES_(USE_VALUE)
ADTAPE_ADDRESS_TYPES_(USE_ADDRESS)

static void use_control(adtape_t *t) {
    adtape_local_t local;
    int bits;
    for (bits = 1; bits <= 64; bits++) {
        adtape_push_control(t, UINT64_C(0xA5A5A5A5A5A5A5A5) << (64 - bits) >> (64 - bits), bits);
        adtape_push_count(t, bits * bits * bits);
    }
    for (bits = 64; bits >= 1; bits--) {
        const uint64_t low = UINT64_C(0xA5A5A5A5A5A5A5A5) << (64 - bits) >> (64 - bits);
        expect(adtape_pop_count(t) == bits * bits * bits, "count");
        expect(adtape_pop_control(t, bits) == low, "control");
    }
    expect(adtape_attach(t, &local) == ADTAPE_STATUS_OK, "attach");
    adtape_local_push_control(&local, 5, 3);
    adtape_local_push_control(&local, 5, 64);
    expect(adtape_local_pop_control(&local, 64) == 5 && adtape_local_pop_control(&local, 3) == 5, "local control");
    expect(adtape_detach(&local) == ADTAPE_STATUS_OK, "detach");
}

static void use_sections(adtape_t *t) {
    const double x[4] = {1, 2, 3, 4};
    double y[4] = {0, 0, 0, 0};
    const int64_t extents[2] = {2, 2}, strides[2] = {16, 8}, others[2] = {8, 16};
    adtape_push_section(t, ADTAPE_TYPE_F64, x, 2, extents, strides);
    adtape_pop_section(t, ADTAPE_TYPE_F64, y, 2, extents, others);
    expect(y[0] == 1 && y[1] == 3 && y[2] == 2 && y[3] == 4, "section");
    adtape_push_bytes(t, x, (int64_t)sizeof x);
    adtape_pop_bytes(t, y, (int64_t)sizeof y);
    expect(memcmp(x, y, sizeof x) == 0, "bytes");
}

#define CALL_VALUE(name, T, code) use_##name(t);
#define CALL_ADDRESS(name, bytes, code) use_##name(t);

static void use_all(adtape_t *t) {
    ADTAPE_VALUE_TYPES_(CALL_VALUE)
    ADTAPE_ADDRESS_TYPES_(CALL_ADDRESS)
    use_control(t);
    use_sections(t);
}

int main(void) {
    adtape_t *t = NULL;
    expect(adtape_create(&t) == ADTAPE_STATUS_OK, "new");
    use_all(adtape_self());
    use_all(t);
    expect(adtape_destroy(t) == ADTAPE_STATUS_OK, "free");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
