/* Threads: each has a tape of its own, made at its first use and released when the thread ends; any tape can be
 * handed from one thread to another. */
#include <pthread.h>
#include <sys/mman.h>

#include "check.h"

enum { THREADS = 12, ROUNDS = 6 };

static int growth = 40; /* how often tapes grow beside other threads; the argument of the program */

static adtape_memory_t memory_of_process(void) {
    adtape_memory_t memory;
    CHECK_OK(adtape_process_memory(&memory));
    return memory;
}

static pthread_t started(void *(*run)(void *), void *argument) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run, argument) == 0);
    return thread;
}

static void joined(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

static void push_stream(adtape_t *t, uint64_t seed, int from, int to) {
    double x[200];
    for (int i = from; i < to; i++) {
        const int n = 1 + i % 200;
        for (int k = 0; k < n; k++) {
            x[k] = (double)seed * 1e6 + i + k;
        }
        adtape_push_array_f64(t, x, n);
        adtape_push_control(t, (seed + (uint64_t)i) & 511, 9);
        adtape_push_count(t, i);
    }
}

static void pop_stream(adtape_t *t, uint64_t seed, int from, int to) {
    double x[200];
    for (int i = to - 1; i >= from; i--) {
        const int n = 1 + i % 200;
        CHECK_I64(adtape_pop_count(t), i);
        CHECK_U64(adtape_pop_control(t, 9), (seed + (uint64_t)i) & 511);
        adtape_pop_array_f64(t, x, n);
        for (int k = 0; k < n; k++) {
            CHECK_F64(x[k], (double)seed * 1e6 + i + k);
        }
    }
}

/* ---- many at once ------------------------------------------------------------------------------------ */

static pthread_barrier_t all_have_pushed;

static void wait_for_all(void) {
    const int status = pthread_barrier_wait(&all_have_pushed);
    CHECK(status == 0 || status == PTHREAD_BARRIER_SERIAL_THREAD);
}

static void *forward_and_reverse(void *argument) {
    const uint64_t seed = *(const uint64_t *)argument;
    const int length = 20 + (int)(seed * 37 % 400);
    adtape_t *own = adtape_self();
    push_stream(own, seed, 0, length);
    wait_for_all();
    pop_stream(own, seed, 0, length);
    CHECK_U64(stats_of(own).bytes + stats_of(own).pending_bits, 0);
    return NULL;
}

static void every_thread_has_a_tape_of_its_own_and_leaves_nothing(void) {
    const adtape_memory_t before = memory_of_process();
    for (uint64_t round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        uint64_t seeds[THREADS];
        CHECK(pthread_barrier_init(&all_have_pushed, NULL, THREADS) == 0);
        for (int i = 0; i < THREADS; i++) {
            seeds[i] = round * THREADS + (uint64_t)i;
            threads[i] = started(forward_and_reverse, &seeds[i]);
        }
        for (int i = 0; i < THREADS; i++) {
            joined(threads[i]);
        }
        pthread_barrier_destroy(&all_have_pushed);
    }
    const adtape_memory_t after = memory_of_process();
    CHECK_U64(after.committed_bytes, before.committed_bytes);
    CHECK_U64(after.reserved_bytes, before.reserved_bytes);
    CHECK(after.peak_committed_bytes > before.committed_bytes);
}

/* Threads that make and free tapes all the time. */
static void *make_and_free(void *argument) {
    const uint64_t seed = *(const uint64_t *)argument;
    for (int i = 0; i < 100; i++) {
        adtape_t *a = new_tape(), *b = new_tape();
        push_stream(a, seed, 0, 10);
        push_stream(b, seed + 1, 0, 20);
        pop_stream(a, seed, 0, 10);
        CHECK_OK(adtape_destroy(a));
        pop_stream(b, seed + 1, 5, 20);
        CHECK_OK(adtape_destroy(b));
    }
    return NULL;
}

static void tapes_come_and_go_on_all_threads(void) {
    const adtape_memory_t before = memory_of_process();
    pthread_t threads[4];
    uint64_t seeds[4] = {1, 2, 3, 4};
    for (int i = 0; i < 4; i++) {
        threads[i] = started(make_and_free, &seeds[i]);
    }
    for (int i = 0; i < 4; i++) {
        joined(threads[i]);
    }
    CHECK_U64(memory_of_process().committed_bytes, before.committed_bytes);
    CHECK_U64(memory_of_process().reserved_bytes, before.reserved_bytes);
}

/* A tape that outgrows its address space moves, and gives the old one back: only that, and nothing that another thread
 * has mapped meanwhile. With ADTAPE_RESERVE=4096 every tape here moves a dozen times. */
static void *grow(void *argument) {
    const uint64_t seed = *(const uint64_t *)argument;
    for (int round = 0; round < growth; round++) {
        adtape_t *t = new_tape();
        for (int i = 0; i < 40000; i++) {
            adtape_push_f64(t, (double)seed + i);
        }
        for (int i = 39999; i >= 0; i--) {
            double x = -1;
            adtape_pop_f64(t, &x);
            CHECK_F64(x, (double)seed + i);
        }
        CHECK_OK(adtape_destroy(t));
    }
    return NULL;
}

static void *map_memory(void *argument) {
    enum { BLOCKS = 50 };
    uint64_t state = *(const uint64_t *)argument;
    unsigned char *blocks[BLOCKS] = {NULL};
    size_t bytes[BLOCKS] = {0};
    for (int n = 0; n < 150 * growth; n++) {
        const int i = (int)random_below(&state, BLOCKS);
        if (blocks[i] != NULL) {
            CHECK_U64(blocks[i][0], (uint64_t)i);
            CHECK_U64(blocks[i][bytes[i] - 1], (uint64_t)i);
            CHECK(munmap(blocks[i], bytes[i]) == 0);
        }
        bytes[i] = 4096 << random_below(&state, 8);
        void *block = mmap(NULL, bytes[i], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(block != MAP_FAILED);
        blocks[i] = block;
        blocks[i][0] = blocks[i][bytes[i] - 1] = (unsigned char)i;
    }
    for (int i = 0; i < BLOCKS; i++) {
        CHECK(blocks[i] == NULL || munmap(blocks[i], bytes[i]) == 0);
    }
    return NULL;
}

static void growing_tapes_leave_the_memory_of_others_alone(void) {
    pthread_t threads[6];
    uint64_t seeds[6] = {1, 2, 3, 4, 5, 6};
    for (int i = 0; i < 6; i++) {
        threads[i] = started(i % 2 == 0 ? grow : map_memory, &seeds[i]);
    }
    for (int i = 0; i < 6; i++) {
        joined(threads[i]);
    }
}

/* ---- hand-over --------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static adtape_t *in_transit;
static int turn;

/* Waits for its turn, goes on with the tape that is in transit, and passes it on. */
static void *take_turns(void *argument) {
    const int own = *(const int *)argument;
    for (int round = 0; round < 20; round++) {
        const int position = round * 3 + own;
        CHECK(pthread_mutex_lock(&lock) == 0);
        while (turn != position) {
            CHECK(pthread_cond_wait(&changed, &lock) == 0);
        }
        adtape_t *t = in_transit;
        CHECK(pthread_mutex_unlock(&lock) == 0);

        CHECK_OK(adtape_acquire(t));
        if (position >= 30) { /* the reverse sweep undoes what another thread did */
            pop_stream(t, 5, (59 - position) * 50, (60 - position) * 50);
        } else {
            push_stream(t, 5, position * 50, (position + 1) * 50);
        }
        adtape_t *handle = NULL;
        CHECK_OK(adtape_release(t, &handle));
        CHECK(handle == t);

        CHECK(pthread_mutex_lock(&lock) == 0);
        turn++;
        CHECK(pthread_cond_broadcast(&changed) == 0);
        CHECK(pthread_mutex_unlock(&lock) == 0);
    }
    return NULL;
}

static void tape_goes_round_between_threads(void) {
    pthread_t threads[3];
    int own[3] = {0, 1, 2};
    CHECK_OK(adtape_release(new_tape(), &in_transit));
    turn = 0;
    for (int i = 0; i < 3; i++) {
        threads[i] = started(take_turns, &own[i]);
    }
    for (int i = 0; i < 3; i++) {
        joined(threads[i]);
    }
    CHECK_OK(adtape_acquire(in_transit));
    CHECK_U64(stats_of(in_transit).bytes, 0);
    CHECK_OK(adtape_destroy(in_transit));
}

/* The forward sweep runs on a thread of its own, with its own tape, on which arrays stream past the cache. */
enum { ARRAYS = 70, LENGTH = 1 << 17 };

static void *forward_sweep(void *handle) {
    double *x = malloc(sizeof *x * LENGTH);
    CHECK(x != NULL);
    for (int i = 0; i < ARRAYS; i++) {
        for (int k = 0; k < LENGTH; k++) {
            x[k] = i * 1000.0 + k;
        }
        adtape_push_array_f64(adtape_self(), x, LENGTH);
    }
    free(x);
    CHECK_OK(adtape_release(adtape_self(), (adtape_t **)handle));
    return NULL;
}

static void reverse_sweep_runs_on_another_thread(void) {
    adtape_t *t = NULL;
    double *x = malloc(sizeof *x * LENGTH);
    CHECK(x != NULL);
    joined(started(forward_sweep, &t));
    CHECK_OK(adtape_acquire(t));
    CHECK_U64(stats_of(t).bytes, UINT64_C(8) * ARRAYS * LENGTH);
    for (int i = ARRAYS - 1; i >= 0; i--) {
        adtape_pop_array_f64(t, x, LENGTH);
        for (int k = 0; k < LENGTH; k++) {
            CHECK_F64(x[k], i * 1000.0 + k);
        }
    }
    CHECK_OK(adtape_destroy(t));
    free(x);
}

static adtape_t *contested;
static int winners;

static void *try_to_acquire(void *nothing) {
    (void)nothing;
    wait_for_all();
    const adtape_status_t status = adtape_acquire(contested);
    wait_for_all();
    if (status == ADTAPE_STATUS_OK) {
        __atomic_add_fetch(&winners, 1, __ATOMIC_RELAXED);
        pop_stream(contested, 3, 0, 5);
        CHECK_OK(adtape_release(contested, &contested));
    } else {
        CHECK_HAS(adtape_error_message(), "not released");
    }
    return NULL;
}

static void one_of_two_threads_acquires(void) {
    for (int round = 0; round < 200; round++) {
        CHECK(pthread_barrier_init(&all_have_pushed, NULL, 2) == 0);
        adtape_t *t = new_tape();
        push_stream(t, 3, 0, 5);
        CHECK_OK(adtape_release(t, &contested));
        winners = 0;
        const pthread_t first = started(try_to_acquire, NULL), second = started(try_to_acquire, NULL);
        joined(first);
        joined(second);
        CHECK_I64(winners, 1);
        CHECK_OK(adtape_destroy(contested));
        pthread_barrier_destroy(&all_have_pushed);
    }
}

static void *use_of_another(void *argument) {
    adtape_t *t = argument, *handle = NULL;
    adtape_stats_t stats;
    adtape_mark_t mark;
    adtape_local_t local;
    CHECK_FAILS(adtape_stats(t, &stats), ADTAPE_STATUS_WRONG_THREAD, "adtape_release");
    CHECK_FAILS(adtape_mark_take(t, &mark), ADTAPE_STATUS_WRONG_THREAD, "adtape_release");
    CHECK_FAILS(adtape_repeat_start(t), ADTAPE_STATUS_WRONG_THREAD, "adtape_release");
    CHECK_FAILS(adtape_attach(t, &local), ADTAPE_STATUS_WRONG_THREAD, "adtape_release");
    CHECK_FAILS(adtape_trim(t, ADTAPE_TRIM_HARD), ADTAPE_STATUS_WRONG_THREAD, "adtape_release");
    CHECK_FAILS(adtape_release(t, &handle), ADTAPE_STATUS_WRONG_THREAD, "adtape_release");
    CHECK_FAILS(adtape_acquire(t), ADTAPE_STATUS_RELEASED, "not released");
    CHECK_FAILS(adtape_destroy(t), ADTAPE_STATUS_WRONG_THREAD, "adtape_release");
    return NULL;
}

static void tape_of_another_thread_is_refused_and_unchanged(void) {
    adtape_t *t = new_tape();
    push_stream(t, 8, 0, 30);
    joined(started(use_of_another, t));
    pop_stream(t, 8, 0, 30);
    CHECK_OK(adtape_destroy(t));
}

int main(int argc, char **argv) {
    growth = argc > 1 ? atoi(argv[1]) : growth;
    every_thread_has_a_tape_of_its_own_and_leaves_nothing();
    tapes_come_and_go_on_all_threads();
    growing_tapes_leave_the_memory_of_others_alone();
    tape_goes_round_between_threads();
    reverse_sweep_runs_on_another_thread();
    one_of_two_threads_acquires();
    tape_of_another_thread_is_refused_and_unchanged();
    return 0;
}
