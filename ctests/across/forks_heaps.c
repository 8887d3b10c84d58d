/* Stable heaps in children of fork: nobody waits for a thread that the child does not have, and nobody uses its heap. */
#include <pthread.h>
#include <signal.h>

#include "child.h"

enum { THREADS = 3, CHILDREN = 40, HEAPS = 400 };

static volatile int over;
static pthread_barrier_t begun;

/* Blocks of all sizes come and go, and so do heaps. */
static void *work(void *nothing) {
    adtape_t *t = adtape_self();
    (void)nothing;
    pthread_barrier_wait(&begun);
    for (int64_t n = 1; !over; n++) {
        adtape_heap_t *h = NULL, *own = adtape_heap_self();
        CHECK_OK(adtape_heap_create(0, 1 << 22, &h));
        adtape_heap_free(h, t, adtape_heap_alloc(h, t, n % 200000 + 1));
        adtape_heap_free(own, t, adtape_heap_alloc(own, t, n * 5000 % 300000 + 1));
        adtape_heap_begin_reverse(own);
        adtape_heap_undo_free(own, t);
        adtape_heap_undo_alloc(own, t);
        adtape_heap_end_reverse(own);
        adtape_heap_begin_reverse(h);
        adtape_heap_undo_free(h, t);
        adtape_heap_undo_alloc(h, t);
        CHECK_OK(adtape_heap_destroy(h));
    }
    return NULL;
}

static void sweep_in_child(void *nothing) {
    adtape_t *t = adtape_self();
    adtape_heap_t *h = NULL, *own = adtape_heap_self();
    (void)nothing;
    alarm(60);
    CHECK_OK(adtape_heap_create(1, 0, &h));
    for (int way = 0; way < 2; way++) {
        adtape_heap_t *heap = way ? own : h;
        double *block = adtape_heap_alloc(heap, t, 4000 * sizeof *block);
        CHECK(block != NULL);
        block[3999] = 1.0;
        CHECK_OK(adtape_heap_begin_reverse(heap));
        adtape_heap_undo_alloc(heap, t);
        CHECK_OK(adtape_heap_end_reverse(heap));
    }
    CHECK_OK(adtape_heap_destroy(h));
}

/* A child waited for ever where a thread of its parent was making a heap at that moment. */
static void child_beside_heaps_that_come_and_go_has_heaps(void *nothing) {
    pthread_t threads[THREADS];
    adtape_heap_t *heaps[HEAPS];
    (void)nothing;
    over = 0;
    /* The list of heaps is long. */
    for (int i = 0; i < HEAPS; i++) {
        CHECK_OK(adtape_heap_create(0, 1 << 22, &heaps[i]));
    }
    pthread_barrier_init(&begun, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
    }
    pthread_barrier_wait(&begun);
    for (int i = 0; i < part(CHILDREN); i++) {
        const child_t child = in_child(sweep_in_child, NULL);
        CHECK_EXIT(child, 0);
    }
    over = 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < HEAPS; i++) {
        CHECK_OK(adtape_heap_destroy(heaps[i]));
    }
}

/* ---- heaps of lost threads --------------------------------------------------------------------------------- */

static adtape_heap_t *lost, *released;
static double *kept;

static void *sit_on_a_heap(void *nothing) {
    (void)nothing;
    lost = adtape_heap_self();
    kept = adtape_heap_alloc(lost, adtape_self(), 100 * sizeof *kept);
    kept[99] = 1.5;
    CHECK_OK(adtape_heap_create(0, 0, &released));
    CHECK_OK(adtape_heap_set_recording(released, false));
    CHECK(adtape_heap_alloc(released, adtape_self(), 100) != NULL);
    CHECK_OK(adtape_heap_release(released));
    pthread_barrier_wait(&begun);
    while (!over) {
        usleep(1000);
    }
    adtape_heap_begin_reverse(lost);
    adtape_heap_undo_alloc(lost, adtape_self());
    return NULL;
}

static void *use_lost_heap(void *nothing) {
    adtape_heap_stats_t stats;
    (void)nothing;
    CHECK_FAILS(adtape_heap_stats(lost, &stats), ADTAPE_STATUS_WRONG_THREAD, "a child of fork");
    CHECK_FAILS(adtape_heap_begin_reverse(lost), ADTAPE_STATUS_WRONG_THREAD, "a child of fork");
    CHECK_FAILS(adtape_heap_acquire(lost), ADTAPE_STATUS_WRONG_THREAD, "a child of fork");
    return NULL;
}

static void *free_a_lost_block(void *nothing) {
    (void)nothing;
    adtape_heap_free(adtape_heap_self(), adtape_self(), kept);
    return NULL;
}

static void in_a_thread(void *(*run)(void *)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
    pthread_join(thread, NULL);
}

/* One of the child's new threads has its cursor where the owner's lay: it could use the heap. */
static void use_in_child(void *nothing) {
    (void)nothing;
    alarm(60);
    CHECK_F64(kept[99], 1.5);
    for (int i = 0; i < 8; i++) {
        in_a_thread(use_lost_heap);
    }
    use_lost_heap(NULL);
    CHECK_OK(adtape_heap_destroy(lost));
    CHECK_F64(kept[99], 1.5);
    /* Who owns nothing goes on. */
    CHECK_OK(adtape_heap_acquire(released));
    CHECK(adtape_heap_alloc(released, adtape_self(), 100) != NULL);
    CHECK_OK(adtape_heap_destroy(released));
}

static void free_in_child(void *nothing) {
    (void)nothing;
    alarm(60);
    in_a_thread(free_a_lost_block);
}

static void heap_of_a_lost_thread_is_an_error_and_its_blocks_stay(void *nothing) {
    pthread_t thread;
    (void)nothing;
    over = 0;
    pthread_barrier_init(&begun, NULL, 2);
    CHECK(pthread_create(&thread, NULL, sit_on_a_heap, NULL) == 0);
    pthread_barrier_wait(&begun);
    const child_t child = in_child(use_in_child, NULL);
    CHECK_EXIT(child, 0);
    const child_t other = in_child(free_in_child, NULL);
    CHECK_SIGNAL(other, SIGABRT);
    CHECK_HAS(other.text, "a child of fork");
    over = 1;
    pthread_join(thread, NULL);
    CHECK_OK(adtape_heap_acquire(released));
    CHECK_OK(adtape_heap_destroy(released));
}

int main(void) {
    heap_of_a_lost_thread_is_an_error_and_its_blocks_stay(NULL);
    child_beside_heaps_that_come_and_go_has_heaps(NULL);
    return 0;
}
