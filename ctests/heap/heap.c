/* Heaps: made and destroyed, handed over, one for each thread; the reversal point; adjoints; memory. */
#include <pthread.h>
#include <signal.h>

#include "child.h"

static adtape_heap_t *new_heap(int32_t factor) {
    adtape_heap_t *h = NULL;
    CHECK_OK(adtape_heap_create(factor, 0, &h));
    CHECK(h != NULL);
    return h;
}

static adtape_heap_stats_t heap_stats(adtape_heap_t *h) {
    adtape_heap_stats_t stats;
    CHECK_OK(adtape_heap_stats(h, &stats));
    return stats;
}

static void heap_takes_no_memory_before_its_first_block(void) {
    adtape_heap_t *h = new_heap(1);
    const adtape_heap_stats_t empty = heap_stats(h);
    CHECK_U64(empty.committed_bytes + empty.adjoint_committed_bytes + empty.overhead_bytes, 0);
    CHECK(empty.reserved_bytes >= 4 << 20);
    void *p = adtape_heap_alloc(h, adtape_self(), 100);
    const adtape_heap_stats_t one = heap_stats(h);
    CHECK_U64(one.blocks, 1);
    CHECK_U64(one.bytes, 112);
    CHECK_U64(one.operations, 1);
    CHECK(one.committed_bytes >= 4096 && one.adjoint_committed_bytes == 0);
    CHECK_OK(adtape_heap_begin_reverse(h));
    CHECK(heap_stats(h).adjoint_committed_bytes >= 4096);
    (void)p;
    adtape_heap_undo_alloc(h, adtape_self());
    CHECK_OK(adtape_heap_end_reverse(h));
    CHECK_U64(heap_stats(h).blocks, 0);
    CHECK_OK(adtape_heap_trim(h));
    CHECK_U64(heap_stats(h).committed_bytes + heap_stats(h).adjoint_committed_bytes, 0);
    CHECK_OK(adtape_heap_destroy(h));
    CHECK_OK(adtape_heap_destroy(NULL));
}

static void adjoint_of_an_address_is_one_addition_away(void) {
    adtape_heap_t *h = new_heap(1);
    adtape_t *t = adtape_self();
    double *x = (double *)adtape_heap_alloc(h, t, 100 * sizeof *x), *xb = NULL, *element = NULL;
    void *found = NULL;
    CHECK_FAILS(adtape_heap_find_adjoint(h, x, &found), ADTAPE_STATUS_NO_ADJOINT, "adtape_heap_begin_reverse");
    CHECK_OK(adtape_heap_begin_reverse(h));
    xb = (double *)adtape_heap_adjoint(h, x);
    element = (double *)adtape_heap_adjoint(h, x + 7);
    CHECK(element == xb + 7);
    for (int i = 0; i < 100; i++) {
        CHECK_F64(xb[i], 0);
    }
    CHECK_OK(adtape_heap_find_adjoint(h, x + 7, &found));
    CHECK(found == element);
    CHECK_OK(adtape_heap_find_adjoint(h, NULL, &found));
    CHECK(found == NULL);
    CHECK(adtape_heap_adjoint(h, x) == xb && adtape_heap_adjoint_scaled(h, x) == xb);
    CHECK_FAILS(adtape_heap_find_adjoint(h, &x, &found), ADTAPE_STATUS_BAD_BLOCK, "no address of this heap");
    CHECK_FAILS(adtape_heap_find_adjoint(h, x, NULL), ADTAPE_STATUS_NULL_POINTER, "result");
    adtape_heap_undo_alloc(h, t);
    CHECK_OK(adtape_heap_destroy(h));
}

static void adjoints_of_another_size_lie_a_multiple_away(void) {
    adtape_heap_t *h = new_heap(2);
    adtape_t *t = adtape_self();
    float *x = (float *)adtape_heap_alloc(h, t, 1000 * sizeof *x);
    CHECK_OK(adtape_heap_begin_reverse(h));
    double *xb = (double *)adtape_heap_adjoint_scaled(h, x);
    CHECK((double *)adtape_heap_adjoint_scaled(h, x + 999) == xb + 999);
    for (int i = 0; i < 1000; i++) {
        CHECK_F64(xb[i], 0);
        xb[i] = i;
    }
    CHECK((uintptr_t)adtape_heap_adjoint(h, x) >> 47 != 0); /* leads nowhere */
    adtape_heap_undo_alloc(h, t);
    CHECK_OK(adtape_heap_destroy(h));
}

static void range_holds_all_blocks_and_their_adjoints(void) {
    adtape_heap_t *h = new_heap(1);
    adtape_t *t = adtape_self();
    adtape_heap_stats_t stats;
    CHECK_OK(adtape_heap_stats(h, &stats));
    CHECK(stats.reserved_bytes == stats.adjoint_reserved_bytes && stats.reserved_bytes > 0);
    const char *base = (const char *)stats.base, *adjoint_base = (const char *)stats.adjoint_base;
    static const int64_t sizes[4] = {1, 5000, 9000, 1 << 20};
    for (int i = 0; i < 4; i++) {
        char *p = (char *)adtape_heap_alloc(h, t, sizes[i]);
        CHECK(p >= base && p + sizes[i] <= base + stats.reserved_bytes);
        CHECK((char *)adtape_heap_adjoint(h, p) - adjoint_base == p - base);
    }
    CHECK_OK(adtape_heap_begin_reverse(h));
    for (int i = 0; i < 4; i++) {
        adtape_heap_undo_alloc(h, t);
    }
    CHECK_OK(adtape_heap_destroy(h));
}

static void arguments_without_meaning_are_refused(void) {
    adtape_heap_t *h = (adtape_heap_t *)&h;
    adtape_heap_stats_t stats;
    CHECK_FAILS(adtape_heap_create(-1, 0, &h), ADTAPE_STATUS_BAD_ARGUMENT, "adjoint bytes");
    CHECK(h == NULL);
    CHECK_FAILS(adtape_heap_create(1025, 0, &h), ADTAPE_STATUS_BAD_ARGUMENT, "at most 1024");
    CHECK_FAILS(adtape_heap_create(1, -1, &h), ADTAPE_STATUS_COUNT_RANGE, "negative");
    CHECK_FAILS(adtape_heap_create(1, INT64_C(1) << 50, &h), ADTAPE_STATUS_COUNT_RANGE, "at most");
    CHECK_FAILS(adtape_heap_create(1, 0, NULL), ADTAPE_STATUS_NULL_POINTER, "handle");
    CHECK_FAILS(adtape_heap_stats(NULL, &stats), ADTAPE_STATUS_NULL_HANDLE, "adtape_heap_self()");
    CHECK_FAILS(adtape_heap_stats(adtape_heap_self(), NULL), ADTAPE_STATUS_NULL_POINTER, "result");
    CHECK_FAILS(adtape_heap_begin_reverse(NULL), ADTAPE_STATUS_NULL_HANDLE, "the heap handle is NULL");
    CHECK_FAILS(adtape_heap_acquire(NULL), ADTAPE_STATUS_NULL_HANDLE, "the heap handle is NULL");
}

/* ---- threads ------------------------------------------------------------------------------------------- */

static adtape_heap_t *handed;
static int *block;

static void *in_other_thread(void *own) {
    CHECK(adtape_heap_self() != (adtape_heap_t *)own);
    CHECK(adtape_heap_self() == adtape_heap_self());
    CHECK_FAILS(adtape_heap_begin_reverse(handed), ADTAPE_STATUS_RELEASED, "adtape_heap_acquire first");
    CHECK_FAILS(adtape_heap_begin_reverse((adtape_heap_t *)own), ADTAPE_STATUS_WRONG_THREAD, "adtape_heap_release");
    CHECK_FAILS(adtape_heap_destroy((adtape_heap_t *)own), ADTAPE_STATUS_WRONG_THREAD, "another thread");
    CHECK_OK(adtape_heap_acquire(handed));
    CHECK(*block == 42);
    adtape_heap_free(handed, adtape_self(), block);
    CHECK_OK(adtape_heap_begin_reverse(handed));
    CHECK(adtape_heap_undo_free(handed, adtape_self()) == (void *)block);
    CHECK_OK(adtape_heap_end_reverse(handed));
    CHECK_OK(adtape_heap_release(handed));
    return NULL;
}

static void heap_is_used_by_one_thread_at_a_time_and_handed_over(void) {
    pthread_t thread;
    adtape_t *t = adtape_self();
    handed = new_heap(1);
    block = (int *)adtape_heap_alloc(handed, t, sizeof *block);
    *block = 42;
    CHECK_FAILS(adtape_heap_acquire(handed), ADTAPE_STATUS_RELEASED, "adtape_heap_release first");
    CHECK_OK(adtape_heap_release(handed));
    CHECK(pthread_create(&thread, NULL, in_other_thread, adtape_heap_self()) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(adtape_heap_acquire(handed));
    CHECK_OK(adtape_heap_begin_reverse(handed));
    adtape_heap_undo_alloc(handed, t);
    CHECK_OK(adtape_heap_release(handed));
    CHECK_OK(adtape_heap_destroy(handed)); /* nobody's: by anybody */
}

/* Each thread works on its own heap and frees a block of its neighbour's; backward in the opposite order. */
enum { THREADS = 4, BLOCKS = 500 };
static pthread_barrier_t together;
static int *of_thread[THREADS][BLOCKS];

static void *team_member(void *number) {
    const int me = (int)(intptr_t)number, other = (me + 1) % THREADS;
    adtape_heap_t *h = adtape_heap_self();
    adtape_t *t = adtape_self();
    for (int i = 0; i < BLOCKS; i++) {
        of_thread[me][i] = (int *)adtape_heap_alloc(h, t, (i % 10 == 0 ? 10000 : 40) + i);
        *of_thread[me][i] = 1000 * me + i;
    }
    pthread_barrier_wait(&together);
    for (int i = 0; i < BLOCKS; i += 2) {
        adtape_heap_free_save(h, t, of_thread[other][i]);
        adtape_heap_free(h, t, adtape_heap_alloc(h, t, 40));
    }
    pthread_barrier_wait(&together);
    CHECK_U64(heap_stats(h).quarantined_blocks, BLOCKS / 2);
    CHECK_OK(adtape_heap_begin_reverse(h));
    pthread_barrier_wait(&together);
    for (int i = BLOCKS - 2; i >= 0; i -= 2) {
        CHECK(adtape_heap_undo_free(h, t) != NULL);
        adtape_heap_undo_alloc(h, t);
        int *back = (int *)adtape_heap_undo_free(h, t);
        CHECK(back == of_thread[other][i]);
        CHECK_I64(*back, 1000 * other + i);
    }
    pthread_barrier_wait(&together);
    CHECK_U64(heap_stats(h).quarantined_blocks, 0);
    for (int i = BLOCKS - 1; i >= 0; i--) {
        CHECK_I64(*of_thread[me][i], 1000 * me + i);
        adtape_heap_undo_alloc(h, t);
    }
    CHECK_U64(heap_stats(h).blocks, 0);
    CHECK_OK(adtape_heap_end_reverse(h));
    return NULL;
}

static void threads_free_blocks_of_each_other(void) {
    pthread_t threads[THREADS];
    for (int round = 0; round < 3; round++) {
        CHECK(pthread_barrier_init(&together, NULL, THREADS) == 0);
        for (int i = 0; i < THREADS; i++) {
            CHECK(pthread_create(&threads[i], NULL, team_member, (void *)(intptr_t)i) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            CHECK(pthread_join(threads[i], NULL) == 0);
        }
        pthread_barrier_destroy(&together);
    }
}

static void *leaves_a_block(void *nothing) {
    (void)nothing;
    block = (int *)adtape_heap_alloc(adtape_heap_self(), adtape_self(), 100);
    *block = 7;
    int64_t word;
    adtape_pop_i64(adtape_self(), &word);
    return NULL;
}

static void run_and_join(void *nothing) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, leaves_a_block, nothing) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(*block == 7); /* still there */
}

static void block_of_a_thread_that_ended_stays_and_is_reported(void) {
    child_t child = in_child(run_and_join, NULL);
    CHECK_EXIT(child, 0);
    CHECK_HAS(child.text, "a thread ended with 112 bytes in 1 block alive on its heap");
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

static void limit_is_reached(void *nothing) {
    adtape_t *t = adtape_self();
    adtape_heap_t *h = adtape_heap_self();
    (void)nothing;
    CHECK_OK(adtape_process_set_memory_limit(128 << 20));
    /* What is free gives its memory back: 40 MiB at a time, of different sizes. */
    for (int i = 1; i <= 20; i++) {
        char *p = (char *)adtape_heap_alloc(h, t, 40 << 20), *q = (char *)adtape_heap_alloc(h, t, i << 16);
        memset(p, i, 40 << 20);
        adtape_heap_free(h, t, p);
        memset(q, i, (size_t)i << 16);
    }
    adtape_memory_t memory;
    CHECK_OK(adtape_process_memory(&memory));
    CHECK(memory.committed_bytes <= 128 << 20);
    CHECK_OK(adtape_heap_begin_reverse(h));
    for (int i = 20; i >= 1; i--) {
        char *p = (char *)adtape_heap_undo_free(h, t);
        memset(p, i, 1 << 20);
        adtape_heap_undo_alloc(h, t);
        adtape_heap_undo_alloc(h, t);
    }
    adtape_heap_alloc(h, t, 200 << 20);
    __asm__ volatile(""); /* not a jump */
}

static void memory_limit_makes_free_intervals_give_theirs_back(void) {
    child_t child = in_child(limit_is_reached, NULL);
    CHECK_SIGNAL(child, SIGABRT);
    CHECK_HAS(child.text, "allocation at ");
    CHECK_HAS(child.text, "exceeds the memory limit of 128.00 MiB");
    CHECK_HAS(child.text, "the heap has 0 bytes in 0 blocks alive");
}

static void full(void *nothing) {
    adtape_heap_t *h = NULL;
    (void)nothing;
    CHECK_OK(adtape_heap_create(1, 4 << 20, &h));
    for (int i = 0; i < 100000; i++) {
        adtape_heap_alloc(h, adtape_self(), 100000);
    }
}

static void heap_whose_address_space_is_full_says_how_to_get_more(void) {
    child_t child = in_child(full, NULL);
    CHECK_SIGNAL(child, SIGABRT);
    CHECK_HAS(child.text, "the heap's address space is full: 4.00 MiB");
    CHECK_HAS(child.text, "reserve_bytes of adtape_heap_create");
}

int main(void) {
    heap_takes_no_memory_before_its_first_block();
    adjoint_of_an_address_is_one_addition_away();
    adjoints_of_another_size_lie_a_multiple_away();
    range_holds_all_blocks_and_their_adjoints();
    arguments_without_meaning_are_refused();
    heap_is_used_by_one_thread_at_a_time_and_handed_over();
    threads_free_blocks_of_each_other();
    block_of_a_thread_that_ended_stays_and_is_reported();
    memory_limit_makes_free_intervals_give_theirs_back();
    heap_whose_address_space_is_full_says_how_to_get_more();
    return 0;
}
