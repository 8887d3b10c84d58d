/* A process forks while others of its threads use the library for the first time: no child waits for what they do not finish
 * in it. Each process here is a child of one that has used nothing. */
#include <pthread.h>

#include "child.h"

enum { THREADS = 3, PROCESSES = 120, CHILDREN = 6 };

static pthread_barrier_t begun;

/* A tape and the map of the process, each for the first time. */
static void *use(void *nothing) {
    double x[4] = {1, 2, 3, 4}, *p = &x[2], *q = NULL;
    adtape_objects_t *o = NULL;
    (void)nothing;
    CHECK(adtape_live_add(o, x, sizeof x, ADTAPE_KIND_STACK, "x") > 0);
    adtape_push_pointer(adtape_self(), o, p);
    adtape_push_array_f64(adtape_self(), x, 4);
    adtape_pop_array_f64(adtape_self(), x, 4);
    CHECK_F64(x[3], 4);
    adtape_pop_pointer(adtape_self(), o, (void **)&q, NULL);
    CHECK(q == p);
    adtape_rebase_remove(o, x);
    return NULL;
}

static void *use_beside_others(void *nothing) {
    pthread_barrier_wait(&begun);
    return use(nothing);
}

static void child_of_the_first_use(void *nothing) {
    pthread_t thread;
    alarm(20);
    use(nothing);
    CHECK(pthread_create(&thread, NULL, use, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void fork_at_the_first_use(void *number) {
    const int process = *(const int *)number;
    pthread_t threads[THREADS];
    CHECK(pthread_barrier_init(&begun, NULL, THREADS + 1) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, use_beside_others, NULL) == 0);
    }
    pthread_barrier_wait(&begun);
    for (volatile int i = 0; i < 2000 * process; i++) {
    }
    for (int i = 0; i < CHILDREN; i++) {
        const child_t child = in_child(child_of_the_first_use, NULL);
        CHECK_EXIT(child, 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

int main(void) {
    for (int i = 0; i < part(PROCESSES); i++) {
        const child_t process = in_child(fork_at_the_first_use, &i);
        CHECK_EXIT(process, 0);
    }
    return 0;
}
