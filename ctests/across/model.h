/* model.h: a naive model of a tape, for random programs: a list of bytes, a list of pending bits, and whole copies
 * of both wherever the tape has a mark or a repeat region. */
#ifndef MODEL_H
#define MODEL_H

#include "types.h"

/* What a byte on the tape belongs to. Only values may be popped as values of another type; undefined ones are the
 * padding of a long double. */
enum { BYTE_VALUE, BYTE_UNDEFINED, BYTE_OF_WORD, BYTE_OF_COUNT };

enum { WORD_BITS = 62, MOST_LEVELS = 12, MOST_MARKS = 8, MOST_LENGTH = 1 << 19, MOST_RECORDS = 1 << 16 };

/* One push, for programs whose pops mirror their pushes. */
typedef struct {
    adtape_type_t type;
    int64_t count; /* values; bits of control */
} record_t;

typedef struct {
    unsigned char *bytes, *kinds;
    size_t length;
    unsigned char bits[WORD_BITS];
    int pending;
    uint64_t value_bytes, total_bits; /* ever pushed and not popped */
    int64_t *counts;
    size_t count_length;
    record_t *records;
    size_t record_length;
} state_t;

/* Whether anything below a mark was popped since. Unknown: what was taken in a region that was reset. */
typedef enum { MARK_UNKNOWN, MARK_VALID, MARK_GONE } validity_t;

typedef struct {
    adtape_mark_t mark;
    state_t state;
    int taken;
    validity_t validity;
} model_mark_t;

typedef struct {
    adtape_t *tape;
    int is_self;
    state_t now;
    state_t levels[MOST_LEVELS];
    validity_t at_start[MOST_LEVELS][MOST_MARKS];
    int depth, had_region;
    model_mark_t marks[MOST_MARKS];
    uint64_t most_bytes;
    int profile;
    adtape_traffic_t traffic[ADTAPE_TYPE_COUNT + 1][2];
} model_t;

static void *checked_alloc(size_t bytes) {
    void *memory = malloc(bytes == 0 ? 1 : bytes);
    CHECK(memory != NULL);
    return memory;
}

static void state_init(state_t *state) {
    memset(state, 0, sizeof *state);
    state->bytes = checked_alloc(MOST_LENGTH);
    state->kinds = checked_alloc(MOST_LENGTH);
    state->counts = checked_alloc(MOST_RECORDS * sizeof *state->counts);
    state->records = checked_alloc(MOST_RECORDS * sizeof *state->records);
}

static void state_free(state_t *state) {
    free(state->bytes);
    free(state->kinds);
    free(state->counts);
    free(state->records);
    memset(state, 0, sizeof *state);
}

/* A copy that holds no more than it must; only state_assign may be done with it. */
static state_t state_copy(const state_t *state) {
    state_t copy = *state;
    copy.bytes = checked_alloc(state->length);
    copy.kinds = checked_alloc(state->length);
    copy.counts = checked_alloc(state->count_length * sizeof *state->counts);
    copy.records = checked_alloc(state->record_length * sizeof *state->records);
    memcpy(copy.bytes, state->bytes, state->length);
    memcpy(copy.kinds, state->kinds, state->length);
    memcpy(copy.counts, state->counts, state->count_length * sizeof *state->counts);
    memcpy(copy.records, state->records, state->record_length * sizeof *state->records);
    return copy;
}

static void state_assign(state_t *to, const state_t *from) {
    unsigned char *bytes = to->bytes, *kinds = to->kinds;
    int64_t *counts = to->counts;
    record_t *records = to->records;
    memcpy(bytes, from->bytes, from->length);
    memcpy(kinds, from->kinds, from->length);
    memcpy(counts, from->counts, from->count_length * sizeof *counts);
    memcpy(records, from->records, from->record_length * sizeof *records);
    *to = *from;
    to->bytes = bytes;
    to->kinds = kinds;
    to->counts = counts;
    to->records = records;
}

/* ---- pushes ------------------------------------------------------------------------------------------ */

static void model_count(model_t *model, int operation, adtape_type_t type, uint64_t elements, uint64_t bytes) {
    adtape_traffic_t *traffic = &model->traffic[type][operation];
    if (model->profile && elements > 0) {
        traffic->calls++;
        traffic->elements += elements;
        traffic->bytes += bytes;
    }
}

static void model_append(state_t *state, const void *bytes, size_t n, unsigned char kind) {
    CHECK(state->length + n <= MOST_LENGTH);
    memcpy(state->bytes + state->length, bytes, n);
    memset(state->kinds + state->length, kind, n);
    state->length += n;
}

static void model_pushed(model_t *model, adtape_type_t type, int64_t count, uint64_t bytes) {
    state_t *now = &model->now;
    if (count > 0) {
        CHECK(now->record_length < MOST_RECORDS);
        now->records[now->record_length++] = (record_t){type, count};
    }
    if (now->length > model->most_bytes) {
        model->most_bytes = now->length;
    }
    model_count(model, ADTAPE_OPERATION_PUSH, type, (uint64_t)count, bytes);
}

/* `defined` bytes of each value are compared when they come back. */
static void model_push_values(model_t *model, adtape_type_t type, const unsigned char *x, int64_t count,
                              size_t bytes_each, size_t defined) {
    for (int64_t i = 0; i < count; i++) {
        model_append(&model->now, x + (size_t)i * bytes_each, defined, BYTE_VALUE);
        model_append(&model->now, x + (size_t)i * bytes_each + defined, bytes_each - defined, BYTE_UNDEFINED);
    }
    model->now.value_bytes += (uint64_t)count * bytes_each;
    model_pushed(model, type, count, (uint64_t)count * bytes_each);
}

static void model_push_control(model_t *model, uint64_t value, int width) {
    state_t *now = &model->now;
    for (int i = width - 1; i >= 0; i--) {
        now->bits[now->pending++] = value >> i & 1;
        if (now->pending == WORD_BITS) {
            uint64_t word = 0;
            for (int k = 0; k < WORD_BITS; k++) {
                word |= (uint64_t)now->bits[k] << k;
            }
            model_append(now, &word, sizeof word, BYTE_OF_WORD);
            now->pending = 0;
        }
    }
    now->total_bits += (uint64_t)width;
    model_pushed(model, ADTAPE_TYPE_CONTROL, width, 0);
}

static size_t bytes_of_count(int64_t count) {
    size_t bytes = 1;
    for (uint64_t rest = (uint64_t)count; rest > 127; rest >>= 7) {
        bytes++;
    }
    return bytes;
}

static void model_push_count(model_t *model, int64_t count) {
    static const unsigned char filler[10] = {0};
    const size_t bytes = bytes_of_count(count);
    CHECK(model->now.count_length < MOST_RECORDS);
    model->now.counts[model->now.count_length++] = count;
    model_append(&model->now, filler, bytes, BYTE_OF_COUNT);
    model->now.value_bytes += bytes;
    model_pushed(model, ADTAPE_TYPE_COUNT, 1, bytes);
}

/* ---- pops -------------------------------------------------------------------------------------------- */

static void model_popped(model_t *model, adtape_type_t type, int64_t count, uint64_t bytes) {
    state_t *now = &model->now;
    if (count > 0 && now->record_length > 0) {
        now->record_length--;
    }
    for (int i = 0; i < MOST_MARKS; i++) {
        model_mark_t *mark = &model->marks[i];
        if (mark->taken && (now->value_bytes < mark->state.value_bytes || now->total_bits < mark->state.total_bits)) {
            mark->validity = MARK_GONE;
        }
    }
    model_count(model, ADTAPE_OPERATION_POP, type, (uint64_t)count, bytes);
}

/* Bytes at the top that may be popped as values. */
static size_t model_values(const state_t *state, size_t most) {
    size_t n = 0;
    while (n < most && n < state->length && state->kinds[state->length - 1 - n] <= BYTE_UNDEFINED) {
        n++;
    }
    return n;
}

/* Bits at the top: pending ones and those in full words. */
static int model_bits(const state_t *state) {
    size_t length = state->length;
    int bits = state->pending;
    while (bits < 64 && length >= 8 && state->kinds[length - 1] == BYTE_OF_WORD) {
        length -= 8;
        bits += WORD_BITS;
    }
    return bits;
}

static int model_has_count(const state_t *state) {
    return state->length > 0 && state->kinds[state->length - 1] == BYTE_OF_COUNT;
}

static void model_pop_values(model_t *model, adtape_type_t type, const unsigned char *popped, int64_t count,
                             size_t bytes_each) {
    state_t *now = &model->now;
    const size_t n = (size_t)count * bytes_each;
    CHECK(n <= now->length);
    now->length -= n;
    for (size_t i = 0; i < n; i++) {
        if (now->kinds[now->length + i] == BYTE_VALUE && popped[i] != now->bytes[now->length + i]) {
            check_failed(__FILE__, __LINE__, "byte %zu of %zu popped is 0x%02x, expected 0x%02x", i, n, popped[i],
                         now->bytes[now->length + i]);
        }
    }
    now->value_bytes -= n;
    model_popped(model, type, count, n);
}

static void model_pop_control(model_t *model, uint64_t popped, int width) {
    state_t *now = &model->now;
    uint64_t value = 0;
    for (int i = 0; i < width; i++) {
        if (now->pending == 0) {
            uint64_t word;
            now->length -= sizeof word;
            memcpy(&word, now->bytes + now->length, sizeof word);
            for (int k = 0; k < WORD_BITS; k++) {
                now->bits[k] = word >> k & 1;
            }
            now->pending = WORD_BITS;
        }
        value |= (uint64_t)now->bits[--now->pending] << i;
    }
    now->total_bits -= (uint64_t)width;
    CHECK_U64(popped, value);
    model_popped(model, ADTAPE_TYPE_CONTROL, width, 0);
}

static void model_pop_count(model_t *model, int64_t popped) {
    state_t *now = &model->now;
    const int64_t count = now->counts[--now->count_length];
    const size_t bytes = bytes_of_count(count);
    CHECK_I64(popped, count);
    now->length -= bytes;
    now->value_bytes -= bytes;
    model_popped(model, ADTAPE_TYPE_COUNT, 1, bytes);
}

/* ---- repeat regions and marks ------------------------------------------------------------------------ */

static void model_start(model_t *model) {
    model->levels[model->depth] = state_copy(&model->now);
    for (int i = 0; i < MOST_MARKS; i++) {
        model->at_start[model->depth][i] = model->marks[i].validity;
    }
    model->depth++;
    model->had_region = 1;
}

/* What was valid at the start is valid again. */
static void model_reset(model_t *model) {
    state_assign(&model->now, &model->levels[model->depth - 1]);
    for (int i = 0; i < MOST_MARKS; i++) {
        model->marks[i].validity = model->at_start[model->depth - 1][i];
    }
}

static void model_end(model_t *model) { state_free(&model->levels[--model->depth]); }

static void model_take_mark(model_t *model, int which, const adtape_mark_t *taken) {
    model_mark_t *mark = &model->marks[which];
    if (mark->taken) {
        state_free(&mark->state);
    }
    *mark = (model_mark_t){*taken, state_copy(&model->now), 1, MARK_VALID};
    for (int level = 0; level < model->depth; level++) {
        model->at_start[level][which] = MARK_UNKNOWN;
    }
}

static void model_reset_to(model_t *model, int which) {
    model_mark_t *mark = &model->marks[which];
    state_assign(&model->now, &mark->state);
    for (int i = 0; i < MOST_MARKS; i++) {
        const state_t *other = &model->marks[i].state;
        if (other->value_bytes > mark->state.value_bytes || other->total_bits > mark->state.total_bits) {
            model->marks[i].validity = MARK_GONE;
        }
    }
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static void model_init(model_t *model, adtape_t *tape, int is_self) {
    memset(model, 0, sizeof *model);
    model->tape = tape;
    model->is_self = is_self;
    model->profile = environment_has("ADTAPE_PROFILE");
    state_init(&model->now);
}

static void model_free(model_t *model) {
    while (model->depth > 0) {
        model_end(model);
    }
    for (int i = 0; i < MOST_MARKS; i++) {
        if (model->marks[i].taken) {
            state_free(&model->marks[i].state);
        }
    }
    state_free(&model->now);
}

/* The tape's figures are the model's. */
static void model_check(const model_t *model) {
    const adtape_stats_t stats = stats_of(model->tape);
    CHECK_U64(stats.bytes, model->now.length);
    CHECK_U64(stats.pending_bits, (uint64_t)model->now.pending);
    CHECK_U64(stats.repeat_depth, (uint64_t)model->depth);
    CHECK((uint64_t)stats.peak_bytes >= model->most_bytes);
    CHECK(stats.committed_bytes <= stats.reserved_bytes);
    if (!model->had_region) {
        /* A push of control makes room for two words. */
        const uint64_t truth = model->most_bytes + 16, slack = truth / 64 > 4096 ? truth / 64 : 4096;
        CHECK((uint64_t)stats.peak_bytes <= truth + slack);
    }
    for (int operation = 0; operation < 2; operation++) {
        adtape_traffic_t all = {0, 0, 0}, traffic;
        for (adtape_type_t type = ADTAPE_TYPE_I8; type <= ADTAPE_TYPE_COUNT; type++) {
            const adtape_traffic_t *own = &model->traffic[type][operation];
            CHECK_OK(adtape_stats_traffic(model->tape, type, operation, &traffic));
            if (type != ADTAPE_TYPE_COUNT) {
                CHECK_SAME(&traffic, own, sizeof traffic);
            }
            CHECK_U64(traffic.bytes, own->bytes);
            all.bytes += own->bytes;
        }
        CHECK_OK(adtape_stats_traffic(model->tape, 0, operation, &traffic));
        CHECK_U64(traffic.bytes, all.bytes);
    }
}

#endif
