/* Maps of addresses in children of fork: nobody waits for a thread of the parent that was changing them, and the threads
 * that the child does not have are as threads that ended. */
#include <pthread.h>

#include "child.h"

enum { THREADS = 3, CHILDREN = 60, BLOCKS = 32 };

static adtape_objects_t *shared;
static volatile int over;
static pthread_barrier_t begun;

/* Blocks come and go, pointers wait, frames of the stack are asked for. */
static void sweep(adtape_objects_t *o, double *memory) {
    adtape_t *t = adtape_self();
    double on_stack[8], *p[BLOCKS], *q;
    adtape_range_t range;
    CHECK(adtape_live_add(o, on_stack, sizeof on_stack, ADTAPE_KIND_STACK, "on_stack") > 0);
    for (int i = 0; i < BLOCKS; i++) {
        CHECK(adtape_live_add(o, &memory[8 * i], 8 * sizeof *memory, ADTAPE_KIND_HEAP, i % 2 ? "odd" : "even") > 0);
        adtape_push_pointer(t, o, &memory[8 * i + 3]);
        adtape_live_end(t, o, &memory[8 * i]);
    }
    adtape_live_begin_reverse(o);
    adtape_push_pointer(t, o, &on_stack[5]);
    adtape_pop_pointer(t, o, (void **)&q, NULL);
    CHECK(q == &on_stack[5]);
    for (int i = BLOCKS - 1; i >= 0; i--) {
        adtape_pop_range(t, o, &range);
        adtape_rebase_add(o, &range, &memory[8 * i], NULL, 0);
        adtape_pop_pointer(t, o, (void **)&p[i], NULL);
        CHECK(p[i] == &memory[8 * i + 3]);
        adtape_rebase_remove(o, &memory[8 * i]);
    }
    adtape_rebase_remove(o, on_stack);
}

static void *sweep_until_over(void *nothing) {
    double *memory = malloc(8 * BLOCKS * sizeof *memory);
    (void)nothing;
    CHECK(memory != NULL);
    pthread_barrier_wait(&begun);
    while (!over) {
        sweep(shared, memory);
        sweep(NULL, memory);
    }
    free(memory);
    return NULL;
}

static void *sweep_once(void *nothing) {
    double *memory = malloc(8 * BLOCKS * sizeof *memory);
    (void)nothing;
    CHECK(memory != NULL);
    sweep(shared, memory);
    sweep(NULL, memory);
    free(memory);
    return NULL;
}

/* The child's threads have their stacks where those of its parent's threads are. */
static void sweep_in_child(void *nothing) {
    pthread_t threads[THREADS];
    (void)nothing;
    alarm(60);
    sweep_once(NULL);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, sweep_once, NULL) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

static void fork_from(int children) {
    for (int i = 0; i < children; i++) {
        const child_t child = in_child(sweep_in_child, NULL);
        CHECK_EXIT(child, 0);
    }
}

/* A child waited for ever where a thread of its parent was in a map at that moment. */
static void child_beside_threads_that_change_maps_uses_them(void *nothing) {
    pthread_t threads[THREADS];
    (void)nothing;
    over = 0;
    CHECK_OK(adtape_objects_create(&shared));
    pthread_barrier_init(&begun, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, sweep_until_over, NULL) == 0);
    }
    pthread_barrier_wait(&begun);
    fork_from(part(CHILDREN));
    over = 1;
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    sweep_once(NULL);
    CHECK_OK(adtape_objects_destroy(shared));
}

/* ---- what a lost thread had on its stack --------------------------------------------------------------------- */

static double *of_lost;

static void *sit_on_a_stack(void *nothing) {
    double x[16];
    (void)nothing;
    of_lost = x;
    CHECK(adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STACK, "x") > 0);
    pthread_barrier_wait(&begun);
    while (!over) {
        usleep(1000);
    }
    adtape_live_end(adtape_self(), NULL, x);
    return NULL;
}

static void find_in_child(void *kept) {
    adtape_range_t range;
    alarm(60);
    /* Nothing has ended that is no thread's. */
    CHECK_OK(adtape_live_find(NULL, kept, &range));
    CHECK(range.base == kept);
    CHECK(adtape_live_find(NULL, of_lost, &range) == ADTAPE_STATUS_NO_RANGE);
    CHECK(adtape_live_add(NULL, of_lost, 16 * sizeof *of_lost, ADTAPE_KIND_STACK, "x of the child") > 0);
}

static void stack_of_a_lost_thread_has_ended_in_the_child(void *nothing) {
    pthread_t thread;
    static double kept[4];
    adtape_range_t range;
    (void)nothing;
    over = 0;
    pthread_barrier_init(&begun, NULL, 2);
    CHECK(adtape_live_add(NULL, kept, sizeof kept, ADTAPE_KIND_STATIC, "kept") > 0);
    CHECK(pthread_create(&thread, NULL, sit_on_a_stack, NULL) == 0);
    pthread_barrier_wait(&begun);
    const child_t child = in_child(find_in_child, kept);
    CHECK_EXIT(child, 0);
    CHECK_OK(adtape_live_find(NULL, of_lost, &range));
    over = 1;
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(void) {
    static void (*const cases[])(void *) = {
        child_beside_threads_that_change_maps_uses_them,
        stack_of_a_lost_thread_has_ended_in_the_child,
    };
    RUN_CASES(cases);
    return 0;
}
