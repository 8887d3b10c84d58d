/* Arrays: adtape's side, and three references: memcpy; one that streams the forward sweep past the caches and, in the
 * reverse sweep, prefetches and copies backwards; and only reading, which no copy out of memory can outrun. */
#include "bench.h"

#include <sys/mman.h>
#include <emmintrin.h>

static LOOP push_arrays(const work_t *w) {
    for (int64_t i = 0; i < w->count; i++) {
        adtape_push_bytes(w->tape, w->values, w->bytes);
    }
}
static LOOP pop_arrays(const work_t *w) {
    for (int64_t i = 0; i < w->count; i++) {
        adtape_pop_bytes(w->tape, w->values, w->bytes);
    }
}
static void arrays(const work_t *w, times_t *times) {
    TIMED(times->forward, push_arrays(w));
    TIMED(times->reverse, pop_arrays(w));
}

/* After a scalar, which moves all arrays to addresses that are no multiple of their alignment in caches. */
static void arrays_after_scalar(const work_t *w, times_t *times) {
    double x = 1.0;
    adtape_push_f64(w->tape, x);
    arrays(w, times);
    adtape_pop_f64(w->tape, &x);
}

/* ---- memcpy ------------------------------------------------------------------------------------- */

static LOOP push_memcpy(const work_t *w, char *to) {
    for (int64_t i = 0; i < w->count; i++) {
        memcpy(to, w->values, (size_t)w->bytes);
        to += w->bytes;
    }
}
static LOOP pop_memcpy(const work_t *w, const char *from) {
    for (int64_t i = 0; i < w->count; i++) {
        from -= w->bytes;
        memcpy(w->values, from, (size_t)w->bytes);
    }
}
static void copies(const work_t *w, times_t *times, int offset) {
    char *memory = w->memory + offset;
    TIMED(times->forward, push_memcpy(w, memory));
    TIMED(times->reverse, pop_memcpy(w, memory + w->count * w->bytes));
}
void memcpys(const work_t *w, times_t *times) { copies(w, times, 0); }
static void memcpys_after_scalar(const work_t *w, times_t *times) { copies(w, times, 8); }

/* ---- streaming, and backwards with prefetch ----------------------------------------------------- */

enum { LINE = 64, AHEAD = 4096 };

/* `to` and `bytes` are multiples of a line. */
static LOOP stream(char *to, const char *from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += LINE) {
        const __m128i *source = (const __m128i *)(from + i);
        __m128i *target = (__m128i *)(to + i);
        const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
        const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
}
static LOOP copy_backwards(char *to, const char *from, int64_t bytes) {
    for (int64_t i = bytes - LINE; i >= 0; i -= LINE) {
        const __m128i *source = (const __m128i *)(from + i);
        __m128i *target = (__m128i *)(to + i);
        __m128i a, b, c, d;
        _mm_prefetch(from + i - AHEAD, _MM_HINT_T0);
        a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
        c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
        _mm_storeu_si128(target + 3, d);
        _mm_storeu_si128(target + 2, c);
        _mm_storeu_si128(target + 1, b);
        _mm_storeu_si128(target, a);
    }
}
static LOOP push_streamed(const work_t *w) {
    char *to = w->memory;
    for (int64_t i = 0; i < w->count; i++) {
        stream(to, (const char *)w->values, w->bytes);
        to += w->bytes;
    }
    _mm_sfence();
}
static LOOP pop_backwards(const work_t *w) {
    const char *from = w->memory + w->count * w->bytes;
    for (int64_t i = 0; i < w->count; i++) {
        from -= w->bytes;
        copy_backwards((char *)w->values, from, w->bytes);
    }
}
static void streamed(const work_t *w, times_t *times) {
    TIMED(times->forward, push_streamed(w));
    TIMED(times->reverse, pop_backwards(w));
}

/* ---- reading alone ------------------------------------------------------------------------------ */

/* Upward, which the processor reads ahead of best. */
static LOOP read_all(const work_t *w) {
    static volatile int keep;
    __m128i any = _mm_setzero_si128();
    for (int64_t i = 0; i < w->count * w->bytes; i += LINE) {
        const __m128i *line = (const __m128i *)(w->memory + i);
        any = _mm_or_si128(any, _mm_or_si128(_mm_or_si128(line[0], line[1]), _mm_or_si128(line[2], line[3])));
    }
    keep = _mm_cvtsi128_si32(any);
    (void)keep;
}
static void reading(const work_t *w, times_t *times) {
    times->forward = 0;
    TIMED(times->reverse, read_all(w));
}

const figure_t array_figures[] = {
    {"array/memory", arrays, streamed},
    {"array/memory_after_scalar", arrays_after_scalar, streamed},
    {"array/memcpy", memcpys, reading},
    {"array/cache", arrays, memcpys},
    {"array/cache_after_scalar", arrays_after_scalar, memcpys_after_scalar},
    {NULL, NULL, NULL},
};
