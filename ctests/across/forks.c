/* Tapes in children of fork: what becomes of the parent's file, and of what the parent's other threads were at. Each case
 * in a child, because the limit is the process's. */
#include "numbers.h"

static void pop_all_in_child(void *nothing) {
    (void)nothing;
    pop_numbers(adtape_self(), 0, 3000);
}
static void push_more_in_child(void *nothing) {
    (void)nothing;
    push_numbers(adtape_self(), 3000, 6000);
}

/* Parent and child of a fork wrote to one file: 817,504 of 10^6 values came back wrong. */
static void file_belongs_to_the_process_that_made_it(void *nothing) {
    (void)nothing;
    begin(LIMIT);
    push_numbers(adtape_self(), 0, 3000);
    void (*const uses[])(void *) = {pop_all_in_child, push_more_in_child};
    for (int i = 0; i < 2; i++) {
        const child_t child = in_child(uses[i], NULL);
        CHECK_SIGNAL(child, SIGABRT);
        CHECK_HAS(child.text, "before it forked");
        CHECK_HAS(child.text, "fork before the tape spills");
    }
    push_numbers(adtape_self(), 3000, 4000);
    pop_numbers(adtape_self(), 0, 4000);
}

static void sweep_in_child(void *nothing) {
    (void)nothing;
    alarm(60);
    push_numbers(adtape_self(), 0, 3000);
    CHECK(memory().disk_bytes > 0);
    pop_numbers(adtape_self(), 0, 3000);
}

/* The child was refused its parent's file, in which it had nothing any more. */
static void child_of_a_tape_that_is_empty_again_has_a_file_of_its_own(void *nothing) {
    adtape_mark_t empty;
    (void)nothing;
    begin(LIMIT);
    CHECK_OK(adtape_mark_take(adtape_self(), &empty));
    for (int way = 0; way < 3; way++) {
        push_numbers(adtape_self(), 0, 3000);
        if (way == 0) {
            CHECK_OK(adtape_mark_reset(adtape_self(), &empty));
        } else {
            pop_numbers(adtape_self(), 0, 3000);
        }
        if (way == 2) {
            push_numbers(adtape_self(), 0, 10);
        }
        const child_t child = in_child(sweep_in_child, NULL);
        CHECK_EXIT(child, 0);
    }
    pop_numbers(adtape_self(), 0, 10);
}

static volatile int over;

static void *sweep_until_over(void *nothing) {
    (void)nothing;
    while (!over) {
        push_numbers(adtape_self(), 0, 900);
        pop_numbers(adtape_self(), 0, 900);
    }
    return NULL;
}

static void little_in_child(void *nothing) {
    (void)nothing;
    alarm(60);
    /* What the parent pushed may lie in its file, and the memory of its other threads counts here, too. */
    CHECK_OK(adtape_process_set_memory_limit(16 * LIMIT));
    push_numbers(adtape_self(), 20, 100);
    pop_numbers(adtape_self(), 20, 100);
}

/* The child waited for a thread that it does not have, which was taking the memory above the top: one of sixty. */
static void child_works_whatever_other_threads_were_at(void *nothing) {
    enum { THREADS = 5, CHILDREN = 40 };
    pthread_t threads[THREADS];
    (void)nothing;
    begin(2 * LIMIT);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, sweep_until_over, NULL) == 0);
    }
    for (int i = 0; i < part(CHILDREN); i++) {
        push_numbers(adtape_self(), 0, 600);
        pop_numbers(adtape_self(), 0, 600);
        push_numbers(adtape_self(), 0, 20);
        const child_t child = in_child(little_in_child, NULL);
        CHECK_EXIT(child, 0);
        pop_numbers(adtape_self(), 0, 20);
    }
    over = 1;
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

/* ------------------------------------------------------------------------------------------------------------ */

int main(void) {
    static void (*const cases[])(void *) = {
        file_belongs_to_the_process_that_made_it,
        child_of_a_tape_that_is_empty_again_has_a_file_of_its_own,
        child_works_whatever_other_threads_were_at,
    };
    RUN_CASES(cases);
    return 0;
}
