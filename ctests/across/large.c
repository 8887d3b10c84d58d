/* Counts of 64 bits: one push of more than 4 GiB, one pop of it, and the size of a tape of more than 4 GiB. Needs
 * about 4.6 GiB of memory: the pushed array is mostly untouched zeros, and most of the popped one is the same few
 * megabytes, mapped over and over. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

/* 4 GiB and 64 MiB and a bit: as a 32-bit number of bytes it would be 64 MiB and a bit. */
#define VALUES ((INT64_C(65) << 23) + 1001)
#define BYTES ((size_t)VALUES * sizeof(double))
#define NEEDED_KIB ((int64_t)(BYTES >> 10) + (INT64_C(512) << 10))

enum { PIECE = 1 << 21, PIECE_BYTES = PIECE * 8, WINDOW_BYTES = 1 << 20 };

static int64_t available_kib(void) {
    int64_t kib = -1;
    char line[200];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && kib < 0 && fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "MemAvailable: %" SCNd64, &kib);
    }
    if (file != NULL) {
        fclose(file);
    }
    return kib;
}

static void *map(void *at, size_t bytes, int descriptor) {
    const int kind = (at == NULL ? 0 : MAP_FIXED) | (descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
    void *memory = mmap(at, bytes, PROT_READ | PROT_WRITE, kind | MAP_NORESERVE, descriptor, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

/* Values that are not 0, ascending: at both ends, on both sides of 2 and of 4 GiB, and some in between. */
static const int64_t samples[] = {0, 1, (INT64_C(1) << 27) + 5, (INT64_C(1) << 28) - 1, INT64_C(1) << 28,
                                  (INT64_C(1) << 28) + 77777777, (INT64_C(1) << 29) - 1, INT64_C(1) << 29,
                                  (INT64_C(1) << 29) + 1, VALUES - 3333333, VALUES - 2, VALUES - 1};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static double value_of(int i) { return 1.0 + (double)samples[i]; }

static double *make_values(void) {
    double *x = map(NULL, BYTES, -1);
    (void)madvise(x, BYTES, MADV_HUGEPAGE); /* a wish only */
    for (int i = 0; i < SAMPLES; i++) {
        x[samples[i]] = value_of(i);
    }
    return x;
}

/* A place for all values in which those around each sample have memory of their own and all others share some. */
static double *make_room(size_t room_bytes) {
    const int shared = memfd_create("values", 0);
    CHECK(shared >= 0 && ftruncate(shared, PIECE_BYTES) == 0);
    char *room = map(NULL, room_bytes, -1);
    for (size_t at = 0; at < room_bytes; at += PIECE_BYTES) {
        map(room + at, PIECE_BYTES, shared);
    }
    close(shared);
    for (int i = 0; i < SAMPLES; i++) {
        const size_t window = (size_t)samples[i] * 8 / WINDOW_BYTES * WINDOW_BYTES;
        map(room + window, WINDOW_BYTES, -1);
    }
    return (double *)(void *)room;
}

/* Around every sample there is nothing but samples. */
static void check_windows(const double *y) {
    for (int i = 0; i < SAMPLES; i++) {
        const int64_t start = samples[i] / (WINDOW_BYTES / 8) * (WINDOW_BYTES / 8);
        const int64_t end = start + WINDOW_BYTES / 8 < VALUES ? start + WINDOW_BYTES / 8 : VALUES;
        int found = 0, due = 0;
        for (int64_t k = start; k < end; k++) {
            found += y[k] != 0;
        }
        for (int other = 0; other < SAMPLES; other++) {
            due += samples[other] >= start && samples[other] < end;
        }
        CHECK_I64(found, due);
        CHECK_F64(y[samples[i]], value_of(i));
    }
}

/* Every single value, from the last to the first, in pieces. */
static void check_in_pieces(adtape_t *t) {
    double *piece = malloc(PIECE_BYTES);
    int i = SAMPLES - 1;
    CHECK(piece != NULL);
    for (int64_t end = VALUES; end > 0;) {
        const int64_t n = end < PIECE ? end : PIECE;
        adtape_pop_array_f64(t, piece, n);
        end -= n;
        for (int64_t k = n - 1; k >= 0; k--) {
            if (piece[k] != 0) {
                CHECK(i >= 0);
                CHECK_I64(end + k, samples[i]);
                CHECK_F64(piece[k], value_of(i));
                i--;
            }
        }
    }
    CHECK_I64(i, -1);
    free(piece);
}

int main(void) {
    const int64_t available = available_kib();
    const size_t room_bytes = (BYTES + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES;
    if (available < NEEDED_KIB) {
        skip("a push of %.2f GiB needs %.2f GiB of memory, %.2f GiB are available", (double)BYTES / (1 << 30),
             (double)NEEDED_KIB / (1 << 20), (double)available / (1 << 20));
    }
    adtape_t *t = new_tape();
    adtape_mark_t low, high;
    int64_t between = 0;
    int32_t tag = 0;
    double *x = make_values();

    adtape_push_i32(t, 1);
    CHECK_OK(adtape_mark_take(t, &low));
    adtape_push_array_f64(t, x, VALUES);
    CHECK(munmap(x, BYTES) == 0);
    adtape_push_i32(t, 2);
    CHECK_OK(adtape_mark_take(t, &high));
    CHECK_OK(adtape_mark_compare(&low, &high, NULL, &between));
    CHECK_I64(between, (int64_t)BYTES + 4);
    const adtape_stats_t stats = stats_of(t);
    CHECK_U64(stats.bytes, BYTES + 8);
    const int64_t bytes = (int64_t)BYTES;
    CHECK(stats.peak_bytes >= bytes + 8 && stats.peak_bytes <= bytes + bytes / 60);
    CHECK(stats.committed_bytes >= bytes && stats.reserved_bytes >= bytes);

    adtape_pop_i32(t, &tag);
    CHECK_I64(tag, 2);
    CHECK_OK(adtape_repeat_start(t));
    double *y = make_room(room_bytes);
    adtape_pop_array_f64(t, y, VALUES);
    CHECK_U64(stats_of(t).bytes, 4);
    check_windows(y);
    CHECK(munmap(y, room_bytes) == 0);
    CHECK_OK(adtape_repeat_reset(t));
    CHECK_OK(adtape_repeat_end(t));
    check_in_pieces(t);
    adtape_pop_i32(t, &tag);
    CHECK_I64(tag, 1);
    CHECK_OK(adtape_destroy(t));
    printf("pushed and popped %zu bytes at once\n", BYTES);
    return 0;
}
