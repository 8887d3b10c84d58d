/* Scalars, control bits and counts: adtape's side, as a user's compiler sees it. */
#include "bench.h"

/* A value pushed is in a register, as after the computation that overwrites its variable; a value popped is stored to
 * `out`: a sum would measure the additions. */

/* ---- one double --------------------------------------------------------------------------------- */

static LOOP push_local(adtape_t *t, double x, int64_t n) {
    adtape_local_t l;
    expect_ok(adtape_attach(t, &l));
    for (int64_t i = 0; i < n; i++) {
        adtape_local_push_f64(&l, x);
    }
    expect_ok(adtape_detach(&l));
}
static LOOP pop_local(adtape_t *t, double *out, int64_t n) {
    adtape_local_t l;
    expect_ok(adtape_attach(t, &l));
    BLOCKS(i, n) { adtape_local_pop_f64(&l, &out[i]); }
    expect_ok(adtape_detach(&l));
}
static LOOP push_handle(adtape_t *t, double x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        adtape_push_f64(t, x);
    }
}
static LOOP pop_handle(adtape_t *t, double *out, int64_t n) {
    BLOCKS(i, n) { adtape_pop_f64(t, &out[i]); }
}
static LOOP push_kept(adtape_t *t, double x, int64_t n) {
    (void)t;
    push_handle(adtape_self(), x, n);
}
static LOOP pop_kept(adtape_t *t, double *out, int64_t n) {
    (void)t;
    pop_handle(adtape_self(), out, n);
}
static LOOP push_self(adtape_t *t, double x, int64_t n) {
    (void)t;
    for (int64_t i = 0; i < n; i++) {
        adtape_push_f64(adtape_self(), x);
    }
}
static LOOP pop_self(adtape_t *t, double *out, int64_t n) {
    (void)t;
    BLOCKS(i, n) { adtape_pop_f64(adtape_self(), &out[i]); }
}
static LOOP push_call(adtape_t *t, double x, int64_t n) {
    (void)t;
    for (int64_t i = 0; i < n; i++) {
        adtape_self_push_f64(&x);
    }
}
static LOOP pop_call(adtape_t *t, double *out, int64_t n) {
    (void)t;
    BLOCKS(i, n) { adtape_self_pop_f64(&out[i]); }
}
static LOOP push_call_handle(adtape_t *t, double x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        adtape_call_push_f64(t, &x);
    }
}
static LOOP pop_call_handle(adtape_t *t, double *out, int64_t n) {
    BLOCKS(i, n) { adtape_call_pop_f64(t, &out[i]); }
}

/* A side that pushes and pops doubles by these two functions. */
#define DOUBLES(name)                                                             \
    static void name(const work_t *w, times_t *times) {                           \
        TIMED(times->forward, push_##name(w->tape, w->values[0], w->count));      \
        TIMED(times->reverse, pop_##name(w->tape, w->values, w->count));          \
    }
DOUBLES(local)
DOUBLES(handle)
DOUBLES(kept)
DOUBLES(self)
DOUBLES(call)
DOUBLES(call_handle)

static void plain(const work_t *w, times_t *times) {
    double *cursor = (double *)w->memory;
    TIMED(times->forward, plain_push(&cursor, w->values[0], w->count));
    TIMED(times->reverse, plain_pop(&cursor, w->values, w->count));
}
static void stored(const work_t *w, times_t *times) {
    double *cursor = (double *)w->memory;
    TIMED(times->forward, plain_push_stored(&cursor, w->values[0], w->count));
    TIMED(times->reverse, plain_pop_stored(&cursor, w->values, w->count));
}
static void held(const work_t *w, times_t *times) {
    plain_cursor_t cursor = {w->memory, w->memory + w->count * w->bytes, w->memory};
    TIMED(times->forward, plain_push_held(&cursor, w->values[0], w->count));
    TIMED(times->reverse, plain_pop_held(&cursor, w->values, w->count));
}
static void compared(const work_t *w, times_t *times) {
    double *cursor = (double *)w->memory, *const base = cursor;
    TIMED(times->forward, plain_push_compared(&cursor, base + w->count, w->values[0], w->count));
    TIMED(times->reverse, plain_pop_compared(&cursor, base, w->values, w->count));
}
static void call_floor(const work_t *w, times_t *times) {
    floor_begin(w->memory, w->count * w->bytes);
    TIMED(times->forward, plain_push_call(w->values[0], w->count));
    TIMED(times->reverse, plain_pop_call(w->values, w->count));
}

/* ---- control bits and counts -------------------------------------------------------------------- */

/* `bit` holds BLOCK values of 0 or 1: no chars, which a compiler would have to take for parts of the tape's cursor. */
static LOOP push_bits_local(adtape_t *t, const int32_t *bit, int64_t n) {
    adtape_local_t l;
    expect_ok(adtape_attach(t, &l));
    BLOCKS(i, n) { adtape_local_push_control(&l, (uint64_t)bit[i], 1); }
    expect_ok(adtape_detach(&l));
}
static LOOP pop_bits_local(adtape_t *t, int32_t *bit, int64_t n) {
    adtape_local_t l;
    expect_ok(adtape_attach(t, &l));
    BLOCKS(i, n) { bit[i] = (int32_t)adtape_local_pop_control(&l, 1); }
    expect_ok(adtape_detach(&l));
}
static LOOP push_bits_handle(adtape_t *t, const int32_t *bit, int64_t n) {
    BLOCKS(i, n) { adtape_push_control(t, (uint64_t)bit[i], 1); }
}
static LOOP pop_bits_handle(adtape_t *t, int32_t *bit, int64_t n) {
    BLOCKS(i, n) { bit[i] = (int32_t)adtape_pop_control(t, 1); }
}
static LOOP push_counts(adtape_t *t, const int32_t *count, int64_t n) {
    BLOCKS(i, n) { adtape_push_count(t, count[i]); }
}
static LOOP pop_counts(adtape_t *t, int32_t *count, int64_t n) {
    BLOCKS(i, n) { count[i] = (int32_t)adtape_pop_count(t); }
}

/* Decisions without a pattern. */
static int32_t *decisions(const work_t *w) {
    int32_t *bit = (int32_t *)w->values;
    uint64_t state = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < BLOCK; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        bit[i] = state >> 40 & 1;
    }
    return bit;
}
#define BYTES(name)                                                         \
    static void name(const work_t *w, times_t *times) {                     \
        int32_t *bit = decisions(w);                                        \
        TIMED(times->forward, push_##name(w->tape, bit, w->count));         \
        TIMED(times->reverse, pop_##name(w->tape, bit, w->count));          \
    }
BYTES(bits_local)
BYTES(bits_handle)
BYTES(counts)

static void plain_bits(const work_t *w, times_t *times) {
    int32_t *bit = decisions(w);
    plain_bits_t words = {(uint64_t *)w->memory, 0, 0};
    TIMED(times->forward, plain_push_bits(&words, bit, w->count));
    TIMED(times->reverse, plain_pop_bits(&words, bit, w->count));
}
static void plain_bytes(const work_t *w, times_t *times) {
    int32_t *byte = decisions(w);
    unsigned char *cursor = (unsigned char *)w->memory;
    TIMED(times->forward, plain_push_bytes(&cursor, byte, w->count));
    TIMED(times->reverse, plain_pop_bytes(&cursor, byte, w->count));
}

const figure_t scalar_figures[] = {
    {"f64/local", local, plain},
    {"f64/handle", handle, plain},
    {"f64/local_compared", local, compared},
    {"f64/handle_stored", handle, stored},
    {"f64/handle_held", handle, held},
    {"f64/self_kept", kept, plain},
    {"f64/self", self, plain},
    {"f64/call", call, call_floor},
    {"f64/call_handle", call_handle, call_floor},
    {"bit/local", bits_local, plain_bits},
    {"bit/handle", bits_handle, plain_bits},
    {"count/handle", counts, plain_bytes},
    {NULL, NULL, NULL},
};
