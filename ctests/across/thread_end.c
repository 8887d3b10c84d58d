/* How threads end: their tape is released; what is still on it is lost, and said to be. */
#include <pthread.h>

#include "child.h"

static pthread_t started(void *(*run)(void *), void *argument) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run, argument) == 0);
    return thread;
}

static void joined(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

static void *push_ten(void *nothing) {
    (void)nothing;
    for (int i = 0; i < 10; i++) {
        adtape_push_f64(adtape_self(), i);
    }
    return NULL;
}

static void pop_ten(adtape_t *t) {
    for (int i = 9; i >= 0; i--) {
        double x = -1;
        adtape_pop_f64(t, &x);
        CHECK_F64(x, i);
    }
}

static void *push_bits(void *nothing) {
    (void)nothing;
    adtape_push_control(adtape_self(), 1, 17);
    return NULL;
}

static void *push_and_pop(void *nothing) {
    (void)nothing;
    push_ten(NULL);
    adtape_push_control(adtape_self(), 1, 17);
    CHECK_U64(adtape_pop_control(adtape_self(), 17), 1);
    pop_ten(adtape_self());
    return NULL;
}

static void *push_and_release(void *handle) {
    push_ten(NULL);
    CHECK_OK(adtape_release(adtape_self(), (adtape_t **)handle));
    return NULL;
}

static void *end_inside_a_region(void *nothing) {
    (void)nothing;
    push_ten(NULL);
    CHECK_OK(adtape_repeat_start(adtape_self()));
    push_ten(NULL);
    return NULL;
}

static void *end_attached(void *nothing) {
    static __thread adtape_local_t local;
    (void)nothing;
    push_ten(NULL);
    CHECK_OK(adtape_attach(adtape_self(), &local));
    return NULL;
}

/* A tape made after the thread's own was released already is the program's to free. */
static pthread_key_t key;
static void use_in_destructor(void *nothing) {
    (void)nothing;
    push_and_pop(NULL);
    CHECK_OK(adtape_destroy(adtape_self()));
}
static void *use_tape_while_ending(void *nothing) {
    (void)nothing;
    CHECK(pthread_setspecific(key, &key) == 0);
    push_and_pop(NULL);
    return NULL;
}
static void *use_tape_at_the_end_only(void *nothing) {
    (void)nothing;
    CHECK(pthread_setspecific(key, &key) == 0);
    return NULL;
}

/* Used in a destructor only, and left to the library. */
static void push_and_pop_in_destructor(void *nothing) { push_and_pop(nothing); }

/* After the library's own destructor. Each call took a place of the 4096 that objects have for threads. */
static char blocks[5000];
static void use_addresses_in_destructor(void *nothing) {
    (void)nothing;
    for (size_t i = 0; i < sizeof blocks; i++) {
        adtape_live_add(NULL, &blocks[i], 1, ADTAPE_KIND_HEAP, "block");
        adtape_live_remove(NULL, &blocks[i]);
    }
}
static void *use_addresses_while_ending(void *nothing) {
    (void)nothing;
    adtape_live_add(NULL, blocks, 1, ADTAPE_KIND_HEAP, "block");
    adtape_live_remove(NULL, blocks);
    CHECK(pthread_setspecific(key, &key) == 0);
    return NULL;
}

static void run_on_a_thread(void *argument) {
    void *(*const *run)(void *) = argument;
    joined(started(*run, NULL));
}

static child_t end_of(void *(*run)(void *)) {
    const child_t child = in_child(run_on_a_thread, &run);
    CHECK_EXIT(child, 0);
    return child;
}

static void values_left_by_a_thread_are_reported_with_their_bytes(void) {
    child_t child = end_of(push_ten);
    CHECK_HAS(child.text, "adtape: warning: a thread ended with 80 bytes on its tape");
    child = end_of(push_bits);
    CHECK_HAS(child.text, "a thread ended with 3 bytes on its tape");
    child = end_of(end_inside_a_region);
    CHECK_HAS(child.text, "a thread ended with 160 bytes on its tape");
    child = end_of(end_attached);
    CHECK_HAS(child.text, "a thread ended with 80 bytes on its tape");
}

static void leave_values_and_a_block(void *nothing) {
    adtape_heap_alloc(adtape_heap_self(), adtape_self(), 100);
    push_ten(nothing);
    exit(0);
}

/* A program with one thread heard of "a team of threads that shrinks". */
static void main_thread_that_leaves_values_hears_nothing_of_teams(void) {
    const child_t child = in_child(leave_values_and_a_block, NULL);
    CHECK_EXIT(child, 0);
    CHECK_HAS(child.text, "adtape: warning: the program ended with 88 bytes on its tape");
    CHECK_HAS(child.text, "adtape: warning: the program ended with 112 bytes in 1 block alive on its heap");
    CHECK(strstr(child.text, "a thread") == NULL && strstr(child.text, "team") == NULL);
    CHECK_HAS(child.text, environment_has("ADTAPE_CHECK") ? "the last push without its pop: one f64 at " : "ADTAPE_CHECK=1");
}

static void balanced_thread_says_nothing(void) {
    CHECK(end_of(push_and_pop).text[0] == '\0');
}

static void released_tape_outlives_its_thread_without_a_word(void) {
    adtape_t *t = NULL;
    joined(started(push_and_release, &t));
    CHECK_OK(adtape_acquire(t));
    pop_ten(t);
    CHECK_OK(adtape_destroy(t));
}

static void tape_can_be_used_while_a_thread_ends(void) {
    CHECK(pthread_key_create(&key, use_in_destructor) == 0);
    CHECK(end_of(use_tape_while_ending).text[0] == '\0');
    CHECK(end_of(use_tape_at_the_end_only).text[0] == '\0');
}

static uint64_t committed(void) {
    adtape_memory_t memory;
    CHECK_OK(adtape_process_memory(&memory));
    return memory.committed_bytes;
}

/* Each such tape kept its memory as long as the process lived. */
static void tape_of_a_late_destructor_goes_with_its_thread(void) {
    CHECK(pthread_key_create(&key, push_and_pop_in_destructor) == 0);
    const uint64_t before = committed();
    for (int i = 0; i < 10; i++) {
        joined(started(use_tape_at_the_end_only, NULL));
    }
    CHECK_U64(committed(), before);
}

static void *make_tape_and_heap(void *made) {
    void **const out = made;
    CHECK_OK(adtape_create((adtape_t **)&out[0]));
    CHECK_OK(adtape_heap_create(1, 0, (adtape_heap_t **)&out[1]));
    adtape_push_f64(out[0], 1.5);
    return NULL;
}
static void *use_anothers(void *made) {
    void *const *const from = made;
    adtape_stats_t stats;
    adtape_heap_stats_t heap_stats;
    CHECK(adtape_stats(from[0], &stats) == ADTAPE_STATUS_WRONG_THREAD);
    CHECK_HAS(adtape_error_message(), "a thread that has ended");
    CHECK(adtape_acquire(from[0]) == ADTAPE_STATUS_WRONG_THREAD);
    CHECK(adtape_heap_stats(from[1], &heap_stats) == ADTAPE_STATUS_WRONG_THREAD);
    CHECK_HAS(adtape_error_message(), "a thread that has ended");
    CHECK(adtape_heap_acquire(from[1]) == ADTAPE_STATUS_WRONG_THREAD);
    return NULL;
}

/* Threads are known by an address that the next thread may have: it could use them, and nobody could free them. */
static void tape_and_heap_of_an_ended_thread_are_nobodys_and_can_be_freed(void) {
    void *made[2];
    joined(started(make_tape_and_heap, made));
    for (int i = 0; i < 3; i++) {
        joined(started(use_anothers, made));
    }
    use_anothers(made);
    CHECK_OK(adtape_destroy(made[0]));
    CHECK_OK(adtape_heap_destroy(made[1]));
}

static void addresses_can_be_used_while_a_thread_ends(void) {
    CHECK(pthread_key_create(&key, use_addresses_in_destructor) == 0);
    CHECK(end_of(use_addresses_while_ending).text[0] == '\0');
}

int main(void) {
    values_left_by_a_thread_are_reported_with_their_bytes();
    main_thread_that_leaves_values_hears_nothing_of_teams();
    balanced_thread_says_nothing();
    tape_can_be_used_while_a_thread_ends();
    tape_of_a_late_destructor_goes_with_its_thread();
    tape_and_heap_of_an_ended_thread_are_nobodys_and_can_be_freed();
    addresses_can_be_used_while_a_thread_ends();
    released_tape_outlives_its_thread_without_a_word();
    return 0;
}
