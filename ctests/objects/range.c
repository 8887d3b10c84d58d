/* Ranges on the tape: what is pushed comes back in reverse order, with everything that is known of it. */
#include "check.h"

enum { BLOCKS = 300 };

static void ranges_come_back_in_reverse_order(void) {
    adtape_t *t = adtape_self();
    static char memory[BLOCKS * 64];
    uint64_t serials[BLOCKS], sizes[BLOCKS], state = 7;
    char label[20];
    for (int i = 0; i < BLOCKS; i++) {
        sizes[i] = random_below(&state, 60);
        snprintf(label, sizeof label, i % 3 ? "block %d" : "", i % 10);
        const int32_t kind = i % 2 ? ADTAPE_KIND_HEAP : ADTAPE_KIND_STACK;
        serials[i] = adtape_live_add(NULL, memory + 64 * i, sizes[i], kind, label);
    }
    for (int i = 0; i < BLOCKS; i++) {
        adtape_push_control(t, (uint64_t)i & 511, 9);
        adtape_live_end(t, NULL, memory + 64 * i);
        adtape_push_i16(t, (int16_t)i);
    }
    for (int i = BLOCKS - 1; i >= 0; i--) {
        adtape_range_t range;
        int16_t value = -1;
        adtape_pop_i16(t, &value);
        adtape_pop_range(t, NULL, &range);
        CHECK_I64(value, i);
        CHECK_U64(adtape_pop_control(t, 9), (uint64_t)i);
        CHECK_U64(range.serial, serials[i]);
        CHECK_U64(range.bytes, sizes[i]);
        CHECK(range.base == memory + 64 * i && range.adjoint_base == NULL && range.adjoint_bytes == 0);
        CHECK_I64(range.kind, i % 2 ? ADTAPE_KIND_HEAP : ADTAPE_KIND_STACK);
        snprintf(label, sizeof label, i % 3 ? "block %d" : "", i % 10);
        CHECK(strcmp(adtape_range_label(NULL, &range), label) == 0);
    }
    CHECK_U64(stats_of(t).bytes + stats_of(t).pending_bits, 0);
}

/* A section that is played back twice: the records stay. */
static void ranges_come_back_in_repeat_regions(void) {
    adtape_t *t = new_tape();
    double x = 0, *p = NULL;
    const uint64_t serial = adtape_live_add(NULL, &x, sizeof x, ADTAPE_KIND_STACK, "x");
    adtape_push_pointer(t, NULL, &x);
    adtape_live_end(t, NULL, &x);
    CHECK_OK(adtape_repeat_start(t));
    for (int round = 0; round < 3; round++) {
        adtape_range_t range;
        adtape_pop_range(t, NULL, &range);
        CHECK_U64(range.serial, serial);
        adtape_rebase_add(NULL, &range, &x, NULL, 0);
        adtape_push_pointer(t, NULL, &x);
        adtape_pop_pointer(t, NULL, (void **)&p, NULL);
        CHECK(p == &x);
        adtape_pop_pointer(t, NULL, (void **)&p, NULL);
        CHECK(p == &x);
        adtape_live_remove(NULL, &x);
        CHECK_OK(adtape_repeat_reset(t));
    }
    CHECK_OK(adtape_repeat_end(t));
    CHECK_OK(adtape_destroy(t));
}

static void traffic_is_counted(void) {
    adtape_t *t = new_tape();
    double x = 0;
    adtape_traffic_t traffic;
    adtape_range_t range;
    adtape_live_add(NULL, &x, sizeof x, ADTAPE_KIND_STACK, "x");
    CHECK_OK(adtape_stats_set_profile(t, true));
    adtape_push_pointer(t, NULL, &x);
    adtape_push_pair(t, NULL, &x, INT64_C(1) << 40);
    adtape_live_end(t, NULL, &x);
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, &x, NULL, 0);
    adtape_pop_pair(t, NULL, NULL, NULL, NULL);
    adtape_pop_pointer(t, NULL, NULL, NULL);
    static const struct {
        adtape_type_t type;
        uint64_t bytes;
    } expected[] = {{ADTAPE_TYPE_RANGE, 32}, {ADTAPE_TYPE_POINTER, 8}, {ADTAPE_TYPE_PAIR, 24}};
    for (int i = 0; i < 3; i++) {
        for (int operation = ADTAPE_OPERATION_PUSH; operation <= ADTAPE_OPERATION_POP; operation++) {
            CHECK_OK(adtape_stats_traffic(t, expected[i].type, operation, &traffic));
            CHECK_U64(traffic.calls, 1);
            CHECK_U64(traffic.bytes, expected[i].bytes);
        }
    }
    adtape_live_remove(NULL, &x);
    CHECK_OK(adtape_destroy(t));
}

int main(void) {
    ranges_come_back_in_reverse_order();
    ranges_come_back_in_repeat_regions();
    traffic_is_counted();
    return 0;
}
