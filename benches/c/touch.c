/* First touch of new tape, and of plain memory that is populated ahead, against first touch of fresh memory in pages of
 * 4 KiB.
 *
 * What is measured is the work of the kernel. The host of a virtual machine may take free memory back, and giving it again
 * costs several times more; so each side is preceded by touching as much memory and freeing it. */
#include "bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define HUGE_PAGE ((int64_t)2 << 20)
/* What the helper may have populated beyond the part that is being written. */
#define AHEAD ((int64_t)64 << 20)

static LOOP push_all(adtape_t *t, double x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        adtape_push_f64(t, x);
    }
}

static void *map(size_t bytes, int advice) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "bench: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    (void)madvise(memory, bytes, advice);
    return memory;
}
static void get_from_host(const work_t *w) {
    const size_t bytes = (size_t)w->count * sizeof(double);
    char *memory = map(bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096) {
        memory[i] = 1;
    }
    munmap(memory, bytes);
}

/* Forward: the pushes. Reverse: giving the tape back. */
static void new_tape(const work_t *w, times_t *times) {
    adtape_t *t;
    get_from_host(w);
    expect_ok(adtape_create(&t));
    TIMED(times->forward, push_all(t, w->values[0], w->count));
    TIMED(times->reverse, expect_ok(adtape_destroy(t)));
}

/* Forward: the same doubles. Only one of them a page would leave out the work that both do. */
static void new_pages(const work_t *w, times_t *times) {
    const size_t bytes = (size_t)w->count * sizeof(double);
    double *memory, *cursor;
    get_from_host(w);
    cursor = memory = map(bytes, MADV_NOHUGEPAGE);
    TIMED(times->forward, plain_push(&cursor, w->values[0], w->count));
    TIMED(times->reverse, munmap(memory, bytes));
}

/* ---- what a tape could do ahead ----------------------------------------------------------------- */

/* The kernel populates a part, with MADV_POPULATE_WRITE or, before Linux 5.14, by a write to each page. */
static void populate(char *from, int64_t bytes) {
#if defined(MADV_POPULATE_WRITE)
    if (madvise(from, (size_t)bytes, MADV_POPULATE_WRITE) == 0) {
        return;
    }
#endif
    for (int64_t at = 0; at < bytes; at += 4096) {
        ((volatile char *)from)[at] = 0;
    }
}
/* Writes memory part by part, each populated right before. Reverse: giving it back. */
static void by_parts(const work_t *w, times_t *times, int advice, int64_t part_bytes) {
    const int64_t bytes = w->count * (int64_t)sizeof(double);
    double *cursor, *memory;
    get_from_host(w);
    cursor = memory = map((size_t)bytes, advice);
    TIMED(times->forward, {
        for (int64_t at = 0; at < bytes; at += part_bytes) {
            populate((char *)memory + at, part_bytes);
            plain_push(&cursor, w->values[0], part_bytes / (int64_t)sizeof(double));
        }
    });
    TIMED(times->reverse, munmap(memory, (size_t)bytes));
}
static void populated_huge(const work_t *w, times_t *times) { by_parts(w, times, MADV_HUGEPAGE, 4 * HUGE_PAGE); }
static void populated_small(const work_t *w, times_t *times) { by_parts(w, times, MADV_NOHUGEPAGE, HUGE_PAGE / 8); }

/* What a helper thread populates, how far it is, and how far the writer is. */
typedef struct {
    char *memory;
    int64_t bytes;
    atomic_llong populated, written;
} ahead_t;
static void *populate_ahead(void *argument) {
    ahead_t *ahead = argument;
    for (int64_t at = 0; at < ahead->bytes; at += HUGE_PAGE) {
        while (at >= atomic_load(&ahead->written) + AHEAD) {
            sched_yield();
        }
        ((volatile char *)ahead->memory)[at] = 0;
        atomic_store(&ahead->populated, at + HUGE_PAGE);
    }
    return NULL;
}
static void with_helper(const work_t *w, times_t *times) {
    const int64_t bytes = w->count * (int64_t)sizeof(double);
    ahead_t ahead = {NULL, bytes, 0, 0};
    pthread_t helper;
    double *cursor;
    get_from_host(w);
    ahead.memory = map((size_t)bytes, MADV_HUGEPAGE);
    cursor = (double *)ahead.memory;
    TIMED(times->forward, {
        if (pthread_create(&helper, NULL, populate_ahead, &ahead) != 0) {
            exit(2);
        }
        for (int64_t at = 0; at < bytes; at += HUGE_PAGE) {
            plain_push(&cursor, w->values[0], HUGE_PAGE / (int64_t)sizeof(double));
            atomic_store(&ahead.written, at + HUGE_PAGE);
        }
        pthread_join(helper, NULL);
    });
    TIMED(times->reverse, munmap(ahead.memory, (size_t)bytes));
}

const figure_t touch_figures[] = {
    {"touch/f64", new_tape, new_pages},
    {"touch/populated_huge", populated_huge, new_pages},
    {"touch/populated_small", populated_small, new_pages},
    {"touch/helper", with_helper, new_pages},
    {NULL, NULL, NULL},
};
