/* Children of fork beside threads of their parent, which they do not have: what becomes of the tapes of those. Each case in
 * a child, because the limit is the process's. */
#include "numbers.h"

enum { THREADS = 4, CHILDREN = 16, EACH = 400, SMALL = 12 << 20 };

/* ---- threads of the parent --------------------------------------------------------------------------------- */

static volatile int over;
static pthread_barrier_t begun;
static pthread_t threads[THREADS];

static void wait_until_over(void) {
    while (!over) {
        usleep(1000);
    }
}

/* Nothing is popped: a mark brings the tape back to where it was. */
static void *push_until_over(void *nothing) {
    adtape_mark_t bottom;
    (void)nothing;
    push_numbers(adtape_self(), 0, 1);
    CHECK_OK(adtape_mark_take(adtape_self(), &bottom));
    pthread_barrier_wait(&begun);
    while (!over) {
        for (int i = 0; i < EACH * LENGTH && !over; i++) {
            adtape_push_f64(adtape_self(), i);
        }
        CHECK_OK(adtape_mark_reset(adtape_self(), &bottom));
    }
    pop_numbers(adtape_self(), 0, 1);
    return NULL;
}

static void *pop_until_over(void *nothing) {
    double *all = malloc(EACH * LENGTH * sizeof *all), last;
    (void)nothing;
    CHECK(all != NULL);
    for (int i = 0; i < EACH * LENGTH; i++) {
        all[i] = i;
    }
    adtape_push_array_f64(adtape_self(), all, EACH * LENGTH);
    pthread_barrier_wait(&begun);
    adtape_pop_array_f64(adtape_self(), all, EACH * LENGTH);
    while (!over) {
        for (int i = 0; i < EACH * LENGTH; i++) {
            adtape_push_f64(adtape_self(), all[i]);
        }
        for (int i = EACH * LENGTH - 1; i >= 0; i--) {
            adtape_pop_f64(adtape_self(), &last);
            CHECK_F64(last, i);
        }
    }
    free(all);
    return NULL;
}

static void *sit_on_a_tape(void *nothing) {
    (void)nothing;
    push_numbers(adtape_self(), 0, EACH);
    pthread_barrier_wait(&begun);
    wait_until_over();
    pop_numbers(adtape_self(), 0, EACH);
    return NULL;
}

/* More than the limit: the oldest part is in the file, or on its way. */
static void *sit_on_a_spilled_tape(void *nothing) {
    (void)nothing;
    push_numbers(adtape_self(), 0, 3 * EACH);
    pthread_barrier_wait(&begun);
    while (!over) {
        push_numbers(adtape_self(), 3 * EACH, 6 * EACH);
        pop_numbers(adtape_self(), 3 * EACH, 6 * EACH);
    }
    pop_numbers(adtape_self(), 0, 3 * EACH);
    return NULL;
}

/* Tapes that outgrow their address space, are made, handed over and freed all the time. */
static void *change_tapes_until_over(void *nothing) {
    (void)nothing;
    pthread_barrier_wait(&begun);
    while (!over) {
        adtape_t *t = new_tape(), *own = NULL;
        push_numbers(t, 0, 50);
        push_numbers(adtape_self(), 50, 100);
        CHECK_OK(adtape_release(t, &t));
        CHECK_OK(adtape_acquire(t));
        CHECK_OK(adtape_release(adtape_self(), &own));
        CHECK_OK(adtape_acquire(own));
        pop_numbers(own, 50, 100);
        pop_numbers(t, 0, 50);
        CHECK_OK(adtape_destroy(t));
        CHECK_OK(adtape_destroy(own));
        CHECK_OK(adtape_trim(adtape_self(), ADTAPE_TRIM_HARD));
    }
    return NULL;
}

static void start(void *(*run)(void *)) {
    over = 0;
    CHECK(pthread_barrier_init(&begun, NULL, THREADS + 1) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, run, NULL) == 0);
    }
    pthread_barrier_wait(&begun);
}

static void finish(void) {
    over = 1;
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CHECK(pthread_barrier_destroy(&begun) == 0);
}

static void *sweep_and_end(void *nothing) {
    (void)nothing;
    push_numbers(adtape_self(), 0, 2);
    pop_numbers(adtape_self(), 0, 2);
    return NULL;
}

/* Threads that end all the time, each with its tape. */
static void *end_threads_until_over(void *nothing) {
    (void)nothing;
    pthread_barrier_wait(&begun);
    while (!over) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, sweep_and_end, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    return NULL;
}

static char directory[] = "/tmp/adtape-forks-XXXXXX";

static void use_locks_of_the_process(const char *run) {
    adtape_store_t *store = NULL;
    CHECK_OK(adtape_store_create_files(directory, run, 0, ADTAPE_STORE_NO_SYNC, &store));
    CHECK_OK(adtape_store_destroy(store));
    CHECK_OK(adtape_process_set_error_handler(NULL, NULL));
}

/* The tables of stores' files and the error handler are the process's. */
static void *use_locks_until_over(void *nothing) {
    char run[32];
    snprintf(run, sizeof run, "run%p", (void *)&run);
    (void)nothing;
    pthread_barrier_wait(&begun);
    while (!over) {
        use_locks_of_the_process(run);
    }
    return NULL;
}

/* ---- the memory of a child --------------------------------------------------------------------------------- */

/* The child has its own tape, whatever is on it, and nothing else. */
static void check_own_tape_is_all(void) {
    CHECK_OK(adtape_destroy(adtape_self()));
    CHECK_U64(memory().committed_bytes, 0);
    CHECK_U64(memory().reserved_bytes, 0);
}

/* What is on the tape of the thread that forks. */
static int before = 20;

/* Sweeps with little memory, none of which is to go to a file. */
static void sweep_in_memory(void *nothing) {
    (void)nothing;
    alarm(60);
    CHECK_OK(adtape_process_set_spill_directory(NULL));
    CHECK_OK(adtape_process_set_memory_limit(SMALL));
    push_numbers(adtape_self(), before, 900);
    pop_numbers(adtape_self(), 0, 900);
    check_own_tape_is_all();
}

static void sweep_with_a_file(void *nothing) {
    (void)nothing;
    alarm(60);
    CHECK_OK(adtape_process_set_memory_limit(LIMIT));
    push_numbers(adtape_self(), before, 3000);
    CHECK(memory().committed_bytes <= LIMIT);
    CHECK(stats_of(adtape_self()).spilled_bytes > LIMIT);
    pop_numbers(adtape_self(), 0, 3000);
    check_own_tape_is_all();
}

static void fork_beside(void *(*run)(void *), uint64_t limit, void (*const in_children[])(void *), int ways) {
    begin(limit);
    start(run);
    push_numbers(adtape_self(), 0, before);
    for (int i = 0; i < part(CHILDREN); i++) {
        const child_t child = in_child(in_children[i % ways], NULL);
        CHECK_EXIT(child, 0);
        usleep(997 * (useconds_t)i);
    }
    pop_numbers(adtape_self(), 0, before);
    finish();
}

static void (*const either[])(void *) = {sweep_in_memory, sweep_with_a_file};

/* A child with a limit of 12 MiB ended for lack of memory beside four threads of its parent, none of which it had. */
static void child_beside_pushes_has_its_limit_for_itself(void *nothing) {
    (void)nothing;
    fork_beside(push_until_over, 64 * LIMIT, either, 2);
}

static void child_beside_pops_has_its_limit_for_itself(void *nothing) {
    (void)nothing;
    fork_beside(pop_until_over, 64 * LIMIT, either, 2);
}

static void child_beside_idle_threads_has_its_limit_for_itself(void *nothing) {
    (void)nothing;
    fork_beside(sit_on_a_tape, 64 * LIMIT, either, 2);
}

static void child_beside_spilled_tapes_has_its_limit_for_itself(void *nothing) {
    (void)nothing;
    before = 0; /* It may lie in the parent's file. */
    fork_beside(sit_on_a_spilled_tape, 3 * LIMIT, either, 2);
}

static void check_own_tape_is_all_in_child(void *nothing) {
    (void)nothing;
    alarm(60);
    pop_numbers(adtape_self(), 0, before);
    check_own_tape_is_all();
}

/* A tape of a thread that was ending stayed in the child as one that its owner had left. */
static void child_beside_threads_that_end_has_nothing_of_theirs(void *nothing) {
    void (*const all[])(void *) = {check_own_tape_is_all_in_child};
    (void)nothing;
    fork_beside(end_threads_until_over, 64 * LIMIT, all, 1);
}

static void use_locks_in_child(void *nothing) {
    (void)nothing;
    alarm(60);
    use_locks_of_the_process("child");
    pop_numbers(adtape_self(), 0, before);
}

/* It waited for ever where a thread of its parent had one of them. */
static void child_beside_stores_and_handlers_has_its_own(void *nothing) {
    void (*const locks[])(void *) = {use_locks_in_child};
    (void)nothing;
    CHECK(mkdtemp(directory) != NULL);
    fork_beside(use_locks_until_over, 64 * LIMIT, locks, 1);
    CHECK(rmdir(directory) == 0);
}

static void little_in_child(void *nothing) {
    (void)nothing;
    alarm(60);
    push_numbers(adtape_self(), 20, 100);
    pop_numbers(adtape_self(), 0, 100);
}

static void child_beside_tapes_that_come_and_go_has_its_tape(void *nothing) {
    void (*const little[])(void *) = {little_in_child};
    (void)nothing;
    fork_beside(change_tapes_until_over, 64 * LIMIT, little, 1);
}

/* The child's threads sit on tapes of their own, and its child has neither theirs nor its grandparent's. */
static void fork_again(void *nothing) {
    (void)nothing;
    alarm(120);
    push_numbers(adtape_self(), 20, 40);
    start(sit_on_a_tape);
    pop_numbers(adtape_self(), 20, 40);
    const child_t child = in_child(sweep_in_memory, NULL);
    CHECK_EXIT(child, 0);
    finish();
    pop_numbers(adtape_self(), 0, 20);
    check_own_tape_is_all();
}

static void grandchild_has_its_limit_for_itself(void *nothing) {
    void (*const again[])(void *) = {fork_again};
    (void)nothing;
    fork_beside(sit_on_a_tape, 64 * LIMIT, again, 1);
}

static void *fork_from_a_worker(void *nothing) {
    (void)nothing;
    pthread_barrier_wait(&begun);
    for (int i = 0; i < part(CHILDREN / 2); i++) {
        push_numbers(adtape_self(), 0, 20 + EACH);
        pop_numbers(adtape_self(), 20, 20 + EACH);
        const child_t child = in_child(either[i % 2], NULL);
        CHECK_EXIT(child, 0);
        pop_numbers(adtape_self(), 0, 20);
    }
    return NULL;
}

/* Each worker of a pool forks, while the main thread has a tape, too. */
static void children_of_a_pool_have_their_limits_for_themselves(void *nothing) {
    (void)nothing;
    begin(64 * LIMIT);
    push_numbers(adtape_self(), 0, 3 * EACH);
    start(fork_from_a_worker);
    finish();
    pop_numbers(adtape_self(), 0, 3 * EACH);
}

/* ---- handles ----------------------------------------------------------------------------------------------- */

static adtape_t *made, *released;
static adtape_local_t lent;

static void *make_handles(void *nothing) {
    (void)nothing;
    push_numbers(adtape_self(), 0, EACH);
    CHECK_OK(adtape_release(adtape_self(), &released));
    push_numbers(adtape_self(), 0, EACH);
    made = new_tape();
    push_numbers(made, 0, EACH);
    CHECK_OK(adtape_attach(made, &lent));
    CHECK_OK(adtape_detach(&lent));
    pthread_barrier_wait(&begun);
    wait_until_over();
    pop_numbers(adtape_self(), 0, EACH);
    pop_numbers(made, 0, EACH);
    CHECK_OK(adtape_destroy(made));
    return NULL;
}

/* One thread's handles; the others sit on tapes. */
static void *make_handles_once(void *nothing) {
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    static int taken;
    CHECK(pthread_mutex_lock(&once) == 0);
    const int first = !taken++;
    CHECK(pthread_mutex_unlock(&once) == 0);
    return first ? make_handles(nothing) : sit_on_a_tape(nothing);
}

static void *use_lost_handle(void *nothing) {
    (void)nothing;
    adtape_stats_t stats;
    CHECK_FAILS(adtape_stats(made, &stats), ADTAPE_STATUS_WRONG_THREAD, "a child of fork, does not have");
    CHECK_FAILS(adtape_acquire(made), ADTAPE_STATUS_WRONG_THREAD, "a child of fork, does not have");
    CHECK_STATUS(adtape_release(made, &made), ADTAPE_STATUS_WRONG_THREAD);
    return NULL;
}

static void push_on_lost_handle(void *nothing) {
    (void)nothing;
    adtape_push_f64(made, 1);
}

static void pop_from_lost_handle(void *nothing) {
    double x;
    (void)nothing;
    adtape_pop_f64(made, &x);
}

/* One of the child's new threads has its cursor where the owner's lay: it could use the tape. */
static void nobody_uses_a_lost_tape(void *nothing) {
    pthread_t thread;
    void (*const uses[])(void *) = {push_on_lost_handle, pop_from_lost_handle};
    (void)nothing;
    alarm(60);
    use_lost_handle(NULL);
    for (int i = 0; i < 3 * THREADS; i++) {
        CHECK(pthread_create(&thread, NULL, use_lost_handle, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    for (int i = 0; i < 2; i++) {
        const child_t child = in_child(uses[i], NULL);
        CHECK_SIGNAL(child, SIGABRT);
        CHECK_HAS(child.text, "a child of fork, does not have");
    }
    CHECK_OK(adtape_destroy(made));
    CHECK_OK(adtape_destroy(released));
    check_own_tape_is_all();
}

/* What no other thread owns goes on in the child. */
static void released_tape_goes_on(void *own) {
    alarm(60);
    CHECK_OK(adtape_process_set_spill_directory(NULL));
    CHECK_OK(adtape_process_set_memory_limit(SMALL));
    CHECK_OK(adtape_acquire(released));
    push_numbers(released, EACH, 2 * EACH);
    pop_numbers(released, 0, 2 * EACH);
    pop_numbers(own, 0, 20);
    for (int i = 0; i < 1000; i++) {
        adtape_local_push_f64(&lent, i);
    }
    CHECK_OK(adtape_detach(&lent));
    pop_doubles(adtape_self(), 1000);
    pop_numbers(adtape_self(), 0, 20);
    CHECK_OK(adtape_destroy(released));
    CHECK_OK(adtape_destroy(own));
    CHECK_OK(adtape_destroy(made));
    check_own_tape_is_all();
}

static void handles_in_a_child_are_lost_or_go_on(void *nothing) {
    (void)nothing;
    CHECK_OK(adtape_process_set_memory_limit(64 * LIMIT));
    start(make_handles_once);
    adtape_t *own = new_tape();
    push_numbers(own, 0, 20);
    push_numbers(adtape_self(), 0, 20);
    CHECK_OK(adtape_attach(adtape_self(), &lent));
    const child_t goes_on = in_child(released_tape_goes_on, own);
    CHECK_EXIT(goes_on, 0);
    CHECK_OK(adtape_detach(&lent));
    pop_numbers(own, 0, 20);
    CHECK_OK(adtape_destroy(own));
    const child_t lost = in_child(nobody_uses_a_lost_tape, NULL);
    CHECK_EXIT(lost, 0);
    pop_numbers(adtape_self(), 0, 20);
    finish();
    CHECK_OK(adtape_acquire(released));
    pop_numbers(released, 0, EACH);
    CHECK_OK(adtape_destroy(released));
}

/* ------------------------------------------------------------------------------------------------------------ */

int main(void) {
    static void (*const cases[])(void *) = {
        child_beside_pushes_has_its_limit_for_itself,
        child_beside_pops_has_its_limit_for_itself,
        child_beside_idle_threads_has_its_limit_for_itself,
        child_beside_spilled_tapes_has_its_limit_for_itself,
        child_beside_threads_that_end_has_nothing_of_theirs,
        child_beside_stores_and_handlers_has_its_own,
        child_beside_tapes_that_come_and_go_has_its_tape,
        grandchild_has_its_limit_for_itself,
        children_of_a_pool_have_their_limits_for_themselves,
        handles_in_a_child_are_lost_or_go_on,
    };
    RUN_CASES(cases);
    return 0;
}
