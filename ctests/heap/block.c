/* Blocks of a stable heap: the calls that a generator emits in place of malloc, calloc, realloc and free, those that undo
 * them, and what happens where a program breaks the rules. */
#include <signal.h>

#include "child.h"

static adtape_heap_t *h;
static adtape_t *t;

static void blocks_come_back_at_their_addresses(void) {
    enum { STEPS = 300 };
    char *p[STEPS];
    uint64_t random = 1;
    for (int i = 0; i < STEPS; i++) {
        const int64_t bytes = 1 + (int64_t)random_below(&random, i % 7 == 0 ? 100000 : 3000);
        p[i] = (char *)(i % 3 == 0 ? adtape_heap_calloc(h, t, bytes, 1) : adtape_heap_alloc(h, t, bytes));
        CHECK((uintptr_t)p[i] % 16 == 0);
        memset(p[i], i, (size_t)bytes);
        if (i >= 10) {
            adtape_heap_free_save(h, t, p[i - 10]);
        }
    }
    CHECK_OK(adtape_heap_begin_reverse(h));
    for (int i = STEPS - 1; i >= 0; i--) {
        if (i >= 10) {
            CHECK(adtape_heap_undo_free(h, t) == (void *)p[i - 10]);
            CHECK(*p[i - 10] == (char)(i - 10));
            CHECK(*(char *)adtape_heap_adjoint(h, p[i - 10]) == 0);
        }
        *(char *)adtape_heap_adjoint(h, p[i]) = 1;
        adtape_heap_undo_alloc(h, t);
    }
    CHECK_OK(adtape_heap_end_reverse(h));
    CHECK_U64(stats_of(t).bytes, 0);
}

static void realloc_keeps_contents_and_moves_the_adjoint_back(void) {
    enum { SIZES = 6 };
    static const int64_t sizes[SIZES] = {10, 1000, 7, 20000, 15000, 100};
    double *x[SIZES];
    for (int i = 0; i < SIZES; i++) {
        x[i] = (double *)adtape_heap_realloc_save(h, t, i == 0 ? NULL : x[i - 1], sizes[i] * (int64_t)sizeof(double));
        const int64_t kept = i == 0 ? 0 : sizes[i] < sizes[i - 1] ? sizes[i] : sizes[i - 1];
        for (int64_t j = 0; j < kept; j++) {
            CHECK_F64(x[i][j], (double)j);
        }
        for (int64_t j = kept; j < sizes[i]; j++) {
            x[i][j] = (double)j;
        }
    }
    CHECK_OK(adtape_heap_begin_reverse(h));
    double *xb = (double *)adtape_heap_adjoint(h, x[SIZES - 1]);
    for (int64_t j = 0; j < sizes[SIZES - 1]; j++) {
        xb[j] = 1;
    }
    int64_t known = sizes[SIZES - 1]; /* elements whose adjoint is not zero */
    for (int i = SIZES - 1; i > 0; i--) {
        CHECK(adtape_heap_undo_realloc(h, t) == (void *)x[i - 1]);
        xb = (double *)adtape_heap_adjoint(h, x[i - 1]);
        known = known < sizes[i - 1] ? known : sizes[i - 1];
        for (int64_t j = 0; j < sizes[i - 1]; j++) {
            CHECK_F64(x[i - 1][j], (double)j);
            CHECK_F64(xb[j], j < known ? 1 : 0);
        }
    }
    CHECK(adtape_heap_undo_realloc(h, t) == NULL);
    CHECK_OK(adtape_heap_end_reverse(h));
    CHECK_U64(stats_of(t).bytes, 0);
}

/* The calls of the thread's own heap and tape have the arguments of stdlib.h, and are the others. */
static void calls_in_place_of_malloc_and_free_are_those_of_the_threads_heap(void) {
    void *(*const allocate)(size_t) = adtape_self_malloc;
    void *(*const resize)(void *, size_t) = adtape_self_realloc;
    void (*const release)(void *) = adtape_self_free;
    char *p = (char *)allocate(100), *q = (char *)adtape_self_calloc(10, 20), *r;
    adtape_heap_stats_t stats;
    CHECK_OK(adtape_heap_stats(h, &stats));
    CHECK_U64(stats.blocks, 2);
    CHECK_U64(stats_of(t).bytes, 16);
    for (int i = 0; i < 200; i++) {
        CHECK(q[i] == 0);
    }
    p[7] = 7;
    r = (char *)resize(p, 50000);
    CHECK(r[7] == 7);
    adtape_self_free_save(r);
    release(q);
    release(NULL);
    CHECK_OK(adtape_heap_begin_reverse(h));
    CHECK(adtape_self_undo_free() == NULL);
    CHECK(adtape_self_undo_free() == (void *)q);
    CHECK(adtape_self_undo_free() == (void *)r && r[7] == 7);
    CHECK(adtape_self_adjoint(r) == adtape_heap_adjoint(h, r) && adtape_self_adjoint(NULL) == NULL);
    CHECK(adtape_self_undo_realloc() == (void *)p && p[7] == 7);
    adtape_self_undo_malloc();
    adtape_self_undo_malloc();
    CHECK_OK(adtape_heap_end_reverse(h));
    CHECK_U64(stats_of(t).bytes, 0);
}

static void nothing_and_no_bytes_are_legal(void) {
    void *p = adtape_heap_alloc(h, t, 0), *q = adtape_heap_alloc(h, t, 0);
    CHECK(p != NULL && q != NULL && p != q);
    adtape_heap_free(h, t, NULL);
    adtape_heap_free_save(h, t, p);
    CHECK_OK(adtape_heap_begin_reverse(h));
    CHECK(adtape_heap_undo_free(h, t) == p);
    CHECK(adtape_heap_undo_free(h, t) == NULL);
    adtape_heap_undo_alloc(h, t);
    adtape_heap_undo_alloc(h, t);
    CHECK_OK(adtape_heap_end_reverse(h));
}

static void blocks_are_aligned_as_asked(void) {
    for (int64_t alignment = 1; alignment <= 65536; alignment *= 2) {
        CHECK((uintptr_t)adtape_heap_alloc_aligned(h, t, 100, alignment) % (uintptr_t)alignment == 0);
        CHECK((uintptr_t)adtape_heap_alloc_aligned(h, t, 10000, alignment) % (uintptr_t)alignment == 0);
    }
    CHECK_OK(adtape_heap_begin_reverse(h));
    for (int i = 0; i < 34; i++) {
        adtape_heap_undo_alloc(h, t);
    }
    CHECK_OK(adtape_heap_end_reverse(h));
}

static void adjoint_only_blocks_do_not_move_recorded_ones(void) {
    void *p = adtape_heap_alloc(h, t, 100);
    adtape_heap_free(h, t, p);
    CHECK_OK(adtape_heap_begin_reverse(h));
    int *own[50];
    for (int i = 0; i < 50; i++) {
        own[i] = (int *)adtape_heap_alloc_adjoint(h, 100);
        CHECK(own[i] != p && *own[i] == 0);
        *own[i] = i;
    }
    CHECK(adtape_heap_undo_free(h, t) == p);
    adtape_heap_undo_alloc(h, t);
    for (int i = 0; i < 50; i++) {
        CHECK(*own[i] == i);
        adtape_heap_free_adjoint(h, own[i]);
    }
    adtape_heap_free_adjoint(h, NULL);
    CHECK_OK(adtape_heap_end_reverse(h));
}

/* Neither that of the call, which may be NULL, nor the thread's own; a released one is as good as any. */
static void operations_that_are_not_recorded_look_at_no_tape(void) {
    adtape_t *tape = new_tape(), *released = NULL;
    adtape_heap_t *heap = NULL;
    const uint64_t own_bytes = stats_of(t).bytes;
    CHECK_OK(adtape_heap_create(1, 0, &heap));
    void *below = adtape_heap_alloc(heap, tape, 100); /* its chunk is open from here on */
    CHECK_OK(adtape_heap_set_recording(heap, 0));
    CHECK_OK(adtape_release(tape, &released));
    for (int i = 0; i < 3; i++) {
        adtape_t *const tapes[] = {NULL, tape, t};
        void *p = adtape_heap_alloc(heap, tapes[i], 100), *q = adtape_heap_alloc(heap, tapes[i], 100000);
        CHECK((char *)p == (char *)below + 112);
        adtape_heap_free(heap, tapes[i], p);
        adtape_heap_free(heap, tapes[i], q);
    }
    CHECK_OK(adtape_acquire(released));
    CHECK_OK(adtape_heap_set_recording(heap, 1));
    CHECK_U64(stats_of(tape).bytes, 8);
    CHECK_U64(stats_of(t).bytes, own_bytes);
    CHECK_OK(adtape_heap_begin_reverse(heap));
    adtape_heap_undo_alloc(heap, tape);
    CHECK_OK(adtape_heap_destroy(heap));
    CHECK_OK(adtape_destroy(tape));
}

/* ---- rules that a program breaks --------------------------------------------------------------------------- */

static char outside[64];

/* The last call of a function is a jump, of which nobody knows the place, unless something comes after it. */
#define CASE(name, ...)               \
    static void name(void *nothing) { \
        (void)nothing;                \
        __VA_ARGS__                   \
        __asm__ volatile("");         \
    }

CASE(free_twice, {
    void *p = adtape_heap_alloc(h, t, 100);
    adtape_heap_free(h, t, p);
    adtape_heap_free(h, t, p);
})
CASE(free_foreign, {
    adtape_heap_free(h, t, outside);
})
CASE(free_inside, {
    adtape_heap_free(h, t, (char *)adtape_heap_alloc(h, t, 100) + 16);
})
CASE(realloc_freed, {
    void *p = adtape_heap_alloc(h, t, 100000);
    adtape_heap_free(h, t, p);
    adtape_heap_realloc(h, t, p, 10);
})
CASE(out_of_order, {
    adtape_heap_free(h, t, adtape_heap_alloc(h, t, 100));
    adtape_heap_begin_reverse(h);
    adtape_heap_undo_alloc(h, t);
})
CASE(unrecorded, {
    adtape_heap_free(h, t, adtape_heap_alloc(h, t, 100));
    adtape_heap_set_recording(h, 0);
    adtape_heap_alloc(h, NULL, 100); /* survives */
    adtape_heap_set_recording(h, 1);
    adtape_heap_begin_reverse(h);
    adtape_heap_undo_free(h, t);
})
CASE(too_early, {
    adtape_heap_alloc(h, t, 100);
    adtape_heap_undo_alloc(h, t);
})
CASE(adjoint_too_early, {
    double *x = (double *)adtape_heap_alloc(h, t, 100);
    *(volatile double *)adtape_heap_adjoint(h, x) += 1;
})
CASE(wrong_distance, {
    adtape_heap_t *twice = NULL;
    adtape_heap_create(2, (int64_t)1 << 20, &twice);
    float *x = (float *)adtape_heap_alloc(twice, t, 100);
    adtape_heap_begin_reverse(twice);
    *(volatile float *)adtape_heap_adjoint(twice, x) += 1;
})
CASE(no_record, {
    adtape_heap_alloc(h, t, 100);
    adtape_push_f64(t, 1.5);
    adtape_heap_begin_reverse(h);
    adtape_heap_undo_alloc(h, t);
})
CASE(outgrown, {
    adtape_heap_t *small = NULL;
    adtape_heap_create(1, (int64_t)1 << 20, &small);
    for (int64_t bytes = 0; bytes < (int64_t)1 << 30; bytes += 100000) {
        adtape_heap_alloc(small, t, 100000);
    }
})
CASE(too_much_undone, {
    adtape_heap_begin_reverse(h);
    adtape_heap_undo_alloc(h, t);
})
CASE(negative, {
    adtape_heap_alloc(h, t, -1);
})
CASE(negative_count, {
    adtape_heap_calloc(h, t, -1, 8);
})
CASE(absurd, {
    adtape_heap_calloc(h, t, INT64_C(1) << 40, INT64_C(1) << 40);
})
CASE(bad_alignment, {
    adtape_heap_alloc_aligned(h, t, 100, 48);
})
CASE(null_heap, {
    adtape_heap_alloc(NULL, t, 100);
})
CASE(null_tape, {
    adtape_heap_alloc(h, NULL, 100);
})
CASE(null_tape_after_another, {
    adtape_heap_alloc(h, t, 100);
    adtape_heap_free(h, NULL, adtape_heap_alloc(h, t, 100));
})
CASE(released_tape, {
    adtape_t *tape = new_tape(), *released;
    adtape_heap_alloc(h, tape, 100);
    adtape_release(tape, &released);
    adtape_heap_alloc(h, released, 100);
})
CASE(released_heap, {
    adtape_heap_t *heap = NULL;
    adtape_heap_create(1, 0, &heap);
    adtape_heap_alloc(heap, t, 100);
    adtape_heap_release(heap);
    adtape_heap_alloc(heap, t, 100);
})
CASE(undone_on_a_released_tape, {
    adtape_t *tape = new_tape(), *released;
    adtape_heap_alloc(h, tape, 100);
    adtape_heap_free(h, tape, adtape_heap_alloc(h, tape, 100));
    adtape_release(tape, &released);
    adtape_heap_begin_reverse(h);
    adtape_heap_undo_free(h, released);
})
CASE(adjoint_free_of_recorded, {
    adtape_heap_free_adjoint(h, adtape_heap_alloc(h, t, 100));
})

static void broken_rules_end_the_program_with_place_and_advice(void) {
    static const struct {
        void (*run)(void *);
        const char *what, *advice;
    } cases[] = {
        {free_twice, "free at ", "it was freed already"},
        {free_foreign, "is no address of this heap", "it came from malloc or from another heap"},
        {free_inside, "16 bytes past the beginning of the block of 112 bytes", "pass the address that the heap returned"},
        {realloc_freed, "realloc at ", "it was freed already"},
        {out_of_order, "an allocation is undone where a free was the last operation", "in the opposite order"},
        {unrecorded, "not in the state that it had after it", "at operation 3 of the heap, 16 bytes from the beginning"},
        {too_early, "before the reversal point", "call adtape_heap_begin_reverse"},
        {no_record, "what lies on the tape is no record of the heap", "run with ADTAPE_CHECK=1"},
        {outgrown, "allocation at ", "address space"},
        {too_much_undone, "undoing an allocation at ", "pops more than the forward sweep pushed"},
        {negative, "a block of -1 bytes", "look at how it is computed"},
        {negative_count, "a block of -1 bytes", "look at how it is computed"},
        {absurd, "does not fit into the address space", "look at how its size is computed"},
        {bad_alignment, "cannot be aligned to 48", "pass a power of two from 1 to 65536"},
        {null_heap, "the heap handle is NULL", "adtape_heap_self()"},
        {null_tape, "the tape handle is NULL", "adtape_self()"},
        {null_tape_after_another, "the tape handle is NULL", "adtape_self()"},
        {released_tape, "allocation at ", "the tape is released"},
        {released_heap, "the heap is released", "calls adtape_heap_acquire first"},
        {undone_on_a_released_tape, "undoing a free at ", "the tape is released"},
        {adjoint_free_of_recorded, "no block that was allocated for adjoints only", "adtape_heap_alloc_adjoint"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        child_t child = in_child(cases[i].run, NULL);
        CHECK_SIGNAL(child, SIGABRT);
        /* In check mode, a pop of too much or of something else is a mismatch. */
        const bool checks = environment_has("ADTAPE_CHECK");
        if (checks && cases[i].run == too_much_undone) {
            CHECK_HAS(child.text, "pushed: nothing");
            CHECK_HAS(child.text, "pops more often");
        } else if (checks && cases[i].run == no_record) {
            CHECK_HAS(child.text, "pushed: one f64 at ");
            CHECK_HAS(child.text, "popped: ");
        } else {
            CHECK_HAS(child.text, cases[i].what);
            CHECK_HAS(child.text, cases[i].advice);
        }
        CHECK_HAS(child.text, "block.c:");
    }
    void (*const crashes[])(void *) = {adjoint_too_early, wrong_distance};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        child_t child = in_child(crashes[i], NULL);
        CHECK(child.signal == SIGSEGV || child.exit_code != 0); /* a sanitizer ends it otherwise */
    }
}

int main(void) {
    h = adtape_heap_self();
    t = adtape_self();
    blocks_come_back_at_their_addresses();
    realloc_keeps_contents_and_moves_the_adjoint_back();
    calls_in_place_of_malloc_and_free_are_those_of_the_threads_heap();
    nothing_and_no_bytes_are_legal();
    blocks_are_aligned_as_asked();
    adjoint_only_blocks_do_not_move_recorded_ones();
    operations_that_are_not_recorded_look_at_no_tape();
    broken_rules_end_the_program_with_place_and_advice();
    adtape_heap_stats_t stats;
    CHECK_OK(adtape_heap_stats(h, &stats));
    CHECK_U64(stats.blocks, 0);
    CHECK_U64(stats.operations, 0);
    return 0;
}
