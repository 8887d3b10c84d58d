/* First touch of new tape, against first touch of fresh memory in pages of 4 KiB.
 *
 * What is measured is the work of the kernel. The host of a virtual machine may take free memory back, and giving it again
 * costs several times more; so each side is preceded by touching as much memory and freeing it. */
#include "bench.h"

#include <sys/mman.h>

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

const figure_t touch_figures[] = {
    {"touch/f64", new_tape, new_pages},
    {NULL, NULL, NULL},
};
