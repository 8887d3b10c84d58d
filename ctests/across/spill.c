/* Tapes larger than the memory limit, whose oldest part is in a file: what a reset costs, which tape gives way, what
 * becomes of a file that was changed. Each case in a child, because the limit is the process's. */
#include "numbers.h"

/* ---- reset ------------------------------------------------------------------------------------------------- */

/* A reset was charged for all that it discarded, and was refused at the limit. */
static void reset_of_a_spilled_tape_takes_no_more_memory(void *nothing) {
    adtape_mark_t marks[8];
    adtape_t *t = new_tape();
    (void)nothing;
    begin(LIMIT);
    for (int i = 0; i < 8; i++) {
        push_numbers(t, 1000 * i, 1000 * (i + 1));
        CHECK_OK(adtape_mark_take(t, &marks[i]));
    }
    CHECK(stats_of(t).spilled_bytes > 50 << 20);
    for (int i = 6; i >= 0; i -= 2) {
        const int there = 1000 * (i + 1);
        CHECK_OK(adtape_mark_reset(t, &marks[i]));
        if (i % 4 == 0) {
            push_numbers(t, there, there + 2500);
            pop_numbers(t, there - 200, there + 2500);
            push_numbers(t, there - 200, there);
        }
    }
    pop_numbers(t, 0, 1000);
    CHECK_U64(stats_of(t).bytes, 0);
    CHECK(memory().peak_committed_bytes <= LIMIT);
    CHECK_OK(adtape_destroy(t));
}

static void reset_of_a_region_of_a_spilled_tape_takes_no_more_memory(void *nothing) {
    adtape_t *t = new_tape();
    (void)nothing;
    begin(LIMIT);
    push_numbers(t, 0, 3000);
    CHECK_OK(adtape_repeat_start(t));
    for (int round = 0; round < 3; round++) {
        push_numbers(t, 3000, 9000);
        CHECK_OK(adtape_repeat_reset(t));
        pop_numbers(t, 2900, 3000);
        push_numbers(t, 5000, 9000);
        pop_numbers(t, 8500, 9000);
        CHECK_OK(adtape_repeat_reset(t));
    }
    CHECK_OK(adtape_repeat_end(t));
    pop_numbers(t, 0, 3000);
    CHECK_U64(stats_of(t).bytes, 0);
    CHECK(memory().peak_committed_bytes <= LIMIT);
    CHECK_OK(adtape_destroy(t));
}

/* What a reset discarded kept its place in the file: the disk filled up with it. */
static void reset_gives_back_what_it_discards_of_the_file(void *nothing) {
    adtape_mark_t mark;
    adtape_t *t = new_tape();
    (void)nothing;
    begin(LIMIT);
    push_numbers(t, 0, 2000);
    CHECK_OK(adtape_mark_take(t, &mark));
    for (int round = 0; round < 3; round++) {
        push_numbers(t, 2000, 8000 + 100 * round);
        CHECK(memory().disk_bytes > 50 << 20);
        CHECK_OK(adtape_mark_reset(t, &mark));
        CHECK(memory().disk_bytes <= 17 << 20);
    }
    push_numbers(t, 2000, 2100);
    pop_numbers(t, 0, 2100);
    CHECK_U64(stats_of(t).bytes, 0);
    CHECK_OK(adtape_destroy(t));
}

/* ---- a limit that is lowered ------------------------------------------------------------------------------- */

/* The next pop ended the program: no memory was to be had for the zero bytes that it needed, and what lay above the top
 * was not given back. */
static void limit_that_is_lowered_stops_no_sweep(void *nothing) {
    adtape_t *t = new_tape(), *other = new_tape();
    (void)nothing;
    for (int from = 1000; from <= 6000; from += 2500) {
        begin(8 * LIMIT);
        push_numbers(other, 0, 500);
        push_numbers(t, 0, 8500);
        pop_numbers(t, from, 8500);
        CHECK_OK(adtape_process_set_memory_limit(LIMIT));
        pop_numbers(t, from / 2, from);
        push_numbers(t, from / 2, 9500);
        CHECK(memory().committed_bytes <= LIMIT);
        pop_numbers(t, 0, 9500);
        pop_numbers(other, 0, 500);
    }
    CHECK_OK(adtape_destroy(t));
    CHECK_OK(adtape_destroy(other));
}

/* Where no pop needs memory, a limit of nothing stops none either. */
static void limit_below_what_is_there_stops_no_pop(void *nothing) {
    adtape_t *t = new_tape();
    (void)nothing;
    begin(LIMIT);
    push_numbers(t, 0, 3000);
    CHECK_OK(adtape_process_set_memory_limit(1));
    pop_numbers(t, 0, 3000);
    CHECK_OK(adtape_destroy(t));
}

/* ---- several tapes ----------------------------------------------------------------------------------------- */

/* The one that was there first kept all that it had, and the second got ADTAPE_STATUS_MEMORY_LIMIT. */
static void idle_tape_gives_way_to_another_of_its_thread(void *nothing) {
    enum { TAPES = 4 };
    adtape_t *tapes[TAPES];
    (void)nothing;
    begin(LIMIT);
    for (int i = 0; i < TAPES; i++) {
        tapes[i] = new_tape();
        push_numbers(tapes[i], i, i + 900);
    }
    for (int i = 0; i < TAPES; i++) {
        push_numbers(tapes[i], i + 900, i + 3000);
    }
    for (int i = 0; i < TAPES; i++) {
        pop_numbers(tapes[i], i + 600, i + 3000);
    }
    for (int i = TAPES - 1; i >= 0; i--) {
        pop_numbers(tapes[i], i, i + 600);
        CHECK_U64(stats_of(tapes[i]).bytes, 0);
        CHECK_OK(adtape_destroy(tapes[i]));
    }
    CHECK(memory().peak_committed_bytes <= LIMIT);
    CHECK_U64(memory().committed_bytes, 0);
}

/* Tapes below 4 MiB kept all that they had: the sixtieth was refused, with the advice to set a directory. */
static void small_tapes_give_way_to_more_small_tapes(void *nothing) {
    enum { TAPES = 20 };
    static const int lengths[] = {380, 130, 250};
    (void)nothing;
    for (int i = 0; i < 3; i++) {
        adtape_t *tapes[TAPES];
        begin((uint64_t)TAPES * 8 * LENGTH * lengths[i] * 2 / 3);
        for (int j = 0; j < TAPES; j++) {
            tapes[j] = new_tape();
            push_numbers(tapes[j], j, j + lengths[i]);
        }
        CHECK(memory().disk_bytes > 0);
        for (int j = 0; j < TAPES; j++) {
            pop_numbers(tapes[j], j, j + lengths[i]);
            CHECK_OK(adtape_destroy(tapes[j]));
        }
    }
}

static void push_on_many_tapes(void *nothing) {
    (void)nothing;
    begin(64 << 10);
    for (;;) {
        push_numbers(new_tape(), 0, 1);
    }
}

static void who_spills_gets_no_advice_to_spill(void *nothing) {
    (void)nothing;
    const child_t child = in_child(push_on_many_tapes, NULL);
    CHECK_SIGNAL(child, SIGABRT);
    CHECK_HAS(child.text, "use fewer tapes at once");
    CHECK(strstr(child.text, "ADTAPE_SPILL_DIRECTORY") == NULL);
}

/* The figures of a tape are true also while another has moved a part of it. */
static void statistics_tell_what_another_tape_has_moved(void *nothing) {
    adtape_t *first = new_tape(), *second = new_tape();
    (void)nothing;
    begin(LIMIT);
    push_numbers(first, 0, 900);
    CHECK_U64(stats_of(first).spilled_bytes, 0);
    push_numbers(second, 0, 700);
    CHECK(stats_of(first).spilled_bytes > 2 << 20);
    CHECK_U64(stats_of(first).bytes, 900 * (8 * LENGTH + 1));
    const int64_t both = stats_of(first).committed_bytes + stats_of(second).committed_bytes;
    CHECK(both <= memory().committed_bytes); /* what is on its way has some, too, and in check mode the records */
    CHECK_OK(adtape_destroy(first));
    CHECK_OK(adtape_destroy(second));
    CHECK_U64(memory().committed_bytes, 0);
}

static pthread_barrier_t barrier;

static void *push_wait_and_pop(void *nothing) {
    (void)nothing;
    push_numbers(adtape_self(), 0, 900);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    pop_numbers(adtape_self(), 0, 900);
    return NULL;
}

/* As of a team in which one thread waits at a barrier for another that is short of memory. */
static void tape_of_a_thread_that_waits_gives_way(void *nothing) {
    pthread_t thread;
    (void)nothing;
    begin(LIMIT);
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    CHECK(pthread_create(&thread, NULL, push_wait_and_pop, NULL) == 0);
    pthread_barrier_wait(&barrier);
    push_numbers(adtape_self(), 0, 2000);
    pop_numbers(adtape_self(), 1500, 2000);
    pthread_barrier_wait(&barrier);
    pop_numbers(adtape_self(), 0, 1500);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(memory().peak_committed_bytes <= LIMIT);
}

static void released_tape_gives_way(void *nothing) {
    adtape_t *released = NULL, *other = new_tape();
    (void)nothing;
    begin(LIMIT);
    push_numbers(adtape_self(), 0, 900);
    CHECK_OK(adtape_release(adtape_self(), &released));
    push_numbers(other, 0, 900);
    CHECK_OK(adtape_acquire(released));
    pop_numbers(released, 0, 900);
    pop_numbers(other, 0, 900);
    CHECK_OK(adtape_destroy(released));
    CHECK_OK(adtape_destroy(other));
}

static void tape_of_a_local_cursor_gives_way(void *nothing) {
    enum { COUNT = 700000 };
    adtape_t *t = new_tape();
    adtape_local_t local;
    (void)nothing;
    begin(LIMIT);
    CHECK_OK(adtape_attach(t, &local));
    for (int64_t i = 0; i < COUNT; i++) {
        adtape_local_push_i64(&local, i);
    }
    push_numbers(adtape_self(), 0, 900);
    for (int64_t i = COUNT - 1; i >= 0; i--) {
        int64_t value = -1;
        adtape_local_pop_i64(&local, &value);
        CHECK_I64(value, i);
    }
    CHECK_OK(adtape_detach(&local));
    pop_numbers(adtape_self(), 0, 900);
    CHECK_OK(adtape_destroy(t));
}

typedef struct {
    uint64_t seed;
    int rounds;
    uint64_t most;
} run_t;

static void *push_and_pop_at_random(void *run) {
    const run_t *const r = run;
    uint64_t random = r->seed;
    int there = 0;
    for (int i = 0; i < r->rounds; i++) {
        const int to = (int)random_below(&random, r->most);
        if (to > there) {
            push_numbers(adtape_self(), there, to);
        } else {
            pop_numbers(adtape_self(), to, there);
        }
        there = to;
    }
    pop_numbers(adtape_self(), 0, there);
    return NULL;
}

/* Each moves parts of the others while they pop and push. */
static void threads_share(uint64_t limit, int count, int rounds, uint64_t most) {
    pthread_t threads[8];
    run_t runs[8];
    begin(limit);
    for (int i = 0; i < count; i++) {
        runs[i] = (run_t){.seed = (uint64_t)i + 1, .rounds = rounds, .most = most};
        CHECK(pthread_create(&threads[i], NULL, push_and_pop_at_random, &runs[i]) == 0);
    }
    for (int i = 0; i < count; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CHECK((uint64_t)memory().peak_committed_bytes <= limit);
    CHECK_U64(memory().committed_bytes, 0);
}

static void threads_that_share_too_little_memory_lose_nothing(void *nothing) {
    (void)nothing;
    threads_share(4 * LIMIT, 4, 30, 3000);
}

/* Tapes that move memory in small steps are short of it all the time; each must see what another is about to lend. */
static void threads_wait_for_memory_that_another_is_about_to_lend(void *nothing) {
    (void)nothing;
    CHECK(setenv("ADTAPE_STEP", "4096", 1) == 0);
    threads_share(LIMIT / 2, 8, 100, 300);
}

/* ---- the file ---------------------------------------------------------------------------------------------- */

/* A descriptor of the file that has no name. */
static int spill_file(void) {
    char link[64], target[256];
    for (int fd = 3; fd < 100; fd++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        const ssize_t n = readlink(link, target, sizeof target - 1);
        target[n < 0 ? 0 : n] = '\0';
        if (strncmp(target, "/tmp/", 5) == 0 && strstr(target, "(deleted)") != NULL) {
            return fd;
        }
    }
    check_failed(__FILE__, __LINE__, "there is no spill file");
}

static void pop_what_was_changed(void *nothing) {
    (void)nothing;
    begin(LIMIT);
    push_numbers(adtape_self(), 0, 3000);
    CHECK(pwrite(spill_file(), "changed", 8, 5000000) == 8);
    pop_numbers(adtape_self(), 0, 3000);
}

/* Eight bytes that were changed on the disk came back as values. */
static void changed_file_is_an_error(void *nothing) {
    (void)nothing;
    const child_t child = in_child(pop_what_was_changed, NULL);
    CHECK_SIGNAL(child, SIGABRT);
    CHECK_HAS(child.text, "the oldest part of a tape does not come back from a file in /tmp as it was written");
    CHECK_HAS(child.text, "look at the disk");
}

/* ------------------------------------------------------------------------------------------------------------ */

int main(void) {
    static void (*const cases[])(void *) = {
        reset_of_a_spilled_tape_takes_no_more_memory,
        reset_of_a_region_of_a_spilled_tape_takes_no_more_memory,
        reset_gives_back_what_it_discards_of_the_file,
        limit_that_is_lowered_stops_no_sweep,
        limit_below_what_is_there_stops_no_pop,
        idle_tape_gives_way_to_another_of_its_thread,
        small_tapes_give_way_to_more_small_tapes,
        who_spills_gets_no_advice_to_spill,
        statistics_tell_what_another_tape_has_moved,
        tape_of_a_thread_that_waits_gives_way,
        released_tape_gives_way,
        tape_of_a_local_cursor_gives_way,
        threads_that_share_too_little_memory_lose_nothing,
        threads_wait_for_memory_that_another_is_about_to_lend,
        changed_file_is_an_error,
    };
    RUN_CASES(cases);
    return 0;
}
