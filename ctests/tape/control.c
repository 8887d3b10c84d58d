/* Control: branch ids of 1 to 64 bits, packed, and loop counters of variable length. */
#include <signal.h>

#include "child.h"

static uint64_t random_state = 4;

static uint64_t low(uint64_t value, int bits) { return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1); }

/* What is pushed of a word: all of it, though only the low bits count, but in check mode, where that is an error. */
static uint64_t pushed(uint64_t value, int bits) { return environment_has("ADTAPE_CHECK") ? low(value, bits) : value; }

static void push_by(int way, adtape_t *t, uint64_t value, int bits) {
    switch (way % 3) {
    case 0: adtape_push_control(t, value, bits); break;
    case 1: adtape_call_push_control(t, value, bits); break;
    default: adtape_self_push_control(value, bits);
    }
}

static uint64_t pop_by(int way, adtape_t *t, int bits) {
    switch (way % 3) {
    case 0: return adtape_pop_control(t, bits);
    case 1: return adtape_call_pop_control(t, bits);
    default: return adtape_self_pop_control(bits);
    }
}

/* Bits above the width are ignored. */
static void ids_of_every_width_come_back(void) {
    enum { IDS = 500 };
    adtape_t *t = adtape_self();
    uint64_t values[IDS];
    for (int bits = 1; bits <= 64; bits++) {
        for (int i = 0; i < IDS; i++) {
            values[i] = random_word(&random_state);
            push_by(i + bits, t, pushed(values[i], bits), bits);
        }
        const adtape_stats_t stats = stats_of(t);
        CHECK_U64(stats.bytes, (uint64_t)(IDS * bits / 62 * 8));
        CHECK_U64(stats.pending_bits, (uint64_t)(IDS * bits % 62));
        for (int i = IDS - 1; i >= 0; i--) {
            CHECK_U64(pop_by(i, t, bits), low(values[i], bits));
        }
        CHECK_U64(stats_of(t).pending_bits, 0);
    }
}

/* One order for all pushes: bits come back between the values they were pushed between, at every fill of the word. */
static void bits_keep_their_place_among_values(void) {
    enum { ITEMS = 5000 };
    adtape_t *t = adtape_self();
    static uint64_t values[ITEMS];
    static int widths[ITEMS]; /* 0: a value of 8 bytes, -1: a count */
    for (int i = 0; i < ITEMS; i++) {
        values[i] = random_word(&random_state);
        widths[i] = random_below(&random_state, 3) == 0 ? 0 : 1 + (int)random_below(&random_state, 64);
        if (random_below(&random_state, 5) == 0) {
            widths[i] = -1;
            values[i] >>= random_below(&random_state, 64);
        }
        switch (widths[i]) {
        case 0: adtape_push_i64(t, (int64_t)values[i]); break;
        case -1: adtape_push_count(t, (int64_t)values[i]); break;
        default: push_by(i, t, pushed(values[i], widths[i]), widths[i]);
        }
    }
    for (int i = ITEMS - 1; i >= 0; i--) {
        int64_t value = 0;
        switch (widths[i]) {
        case 0:
            adtape_pop_i64(t, &value);
            CHECK_U64((uint64_t)value, values[i]);
            break;
        case -1: CHECK_U64((uint64_t)adtape_pop_count(t), values[i]); break;
        default: CHECK_U64(pop_by(i + 1, t, widths[i]), low(values[i], widths[i]));
        }
    }
    const adtape_stats_t stats = stats_of(t);
    CHECK_U64(stats.bytes, 0);
    CHECK_U64(stats.pending_bits, 0);
}

/* 62 branch ids of one bit take 8 bytes. */
static void bits_take_little_room(void) {
    adtape_t *t = adtape_self();
    for (int i = 0; i < 6200; i++) {
        adtape_push_control(t, (uint64_t)(i % 3 == 0), 1);
    }
    CHECK_U64(stats_of(t).bytes, 800);
    for (int i = 6199; i >= 0; i--) {
        CHECK_U64(adtape_pop_control(t, 1), (uint64_t)(i % 3 == 0));
    }
}

static void counts_take_one_byte_for_every_seven_bits(void) {
    static const struct {
        int64_t count;
        uint64_t bytes;
    } rows[] = {{0, 1}, {1, 1}, {127, 1}, {128, 2}, {16383, 2}, {16384, 3}, {2097151, 3}, {2097152, 4},
                {INT64_C(1) << 35, 6}, {INT64_MAX, 9}, {-1, 10}, {-128, 10}, {INT64_MIN, 10}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    adtape_t *t = adtape_self();
    for (int way = 0; way < 3; way++) {
        uint64_t bytes = 0;
        for (int i = 0; i < ROWS; i++) {
            switch (way) {
            case 0: adtape_push_count(t, rows[i].count); break;
            case 1: adtape_call_push_count(t, rows[i].count); break;
            default: adtape_self_push_count(rows[i].count);
            }
            bytes += rows[i].bytes;
            CHECK_U64(stats_of(t).bytes, bytes);
        }
        for (int i = ROWS - 1; i >= 0; i--) {
            int64_t count = 0;
            switch ((way + i) % 3) {
            case 0: count = adtape_pop_count(t); break;
            case 1: count = adtape_call_pop_count(t); break;
            default: count = adtape_self_pop_count();
            }
            CHECK_I64(count, rows[i].count);
        }
        CHECK_U64(stats_of(t).bytes, 0);
    }
}

static void local_cursor_takes_control(void) {
    enum { IDS = 3000 };
    adtape_t *t = new_tape();
    adtape_local_t local;
    uint64_t push_state = random_state;
    CHECK_OK(adtape_attach(t, &local));
    for (int i = 0; i < IDS; i++) {
        adtape_local_push_control(&local, pushed(random_word(&push_state), 1 + i % 64), 1 + i % 64);
        adtape_local_push_i32(&local, i);
    }
    CHECK_OK(adtape_detach(&local));
    uint64_t words[IDS];
    for (int i = 0; i < IDS; i++) {
        words[i] = random_word(&random_state);
    }
    CHECK_OK(adtape_attach(t, &local));
    for (int i = IDS - 1; i >= 0; i--) {
        int32_t value = -1;
        adtape_local_pop_i32(&local, &value);
        CHECK_I64(value, i);
        CHECK_U64(adtape_local_pop_control(&local, 1 + i % 64), low(words[i], 1 + i % 64));
    }
    CHECK_OK(adtape_detach(&local));
    CHECK_U64(stats_of(t).bytes + stats_of(t).pending_bits, 0);
    CHECK_OK(adtape_destroy(t));
}

/* The pop returned another value without a word. */
static void push_five_in_two_bits(void *argument) {
    const int way = *(const int *)argument;
    setenv("ADTAPE_CHECK", "1", 1);
    push_by(0, adtape_self(), 5, 3);
    if (way < 3) {
        push_by(way, adtape_self(), 5, 2);
    } else {
        adtape_local_t local;
        CHECK_OK(adtape_attach(adtape_self(), &local));
        adtape_local_push_control(&local, 5, 2);
    }
}
static void value_that_its_bits_do_not_hold_is_an_error_in_check_mode(void) {
    for (int way = 0; way < 4; way++) {
        const child_t child = in_child(push_five_in_two_bits, &way);
        CHECK_SIGNAL(child, SIGABRT);
        CHECK_HAS(child.text, "push of 2 control bits at ");
        CHECK_HAS(child.text, "check mode: the value is 5, which takes 3 bits: the pop would return 1");
        CHECK_HAS(child.text, "mask the value");
    }
}

int main(void) {
    value_that_its_bits_do_not_hold_is_an_error_in_check_mode();
    ids_of_every_width_come_back();
    bits_keep_their_place_among_values();
    bits_take_little_room();
    counts_take_one_byte_for_every_seven_bits();
    local_cursor_takes_control();
    return 0;
}
