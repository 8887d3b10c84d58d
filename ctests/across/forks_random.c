/* Random programs of threads that push, pop, make, hand over and free tapes, some of them spilled, while the main thread
 * forks at random moments. Its child has the tapes that it holds, and those that nobody does; so has the child's child.
 *
 *   forks_random [first seed [programs [forks]]] */
#include "numbers.h"

enum { THREADS = 3, PLACES = 6, MOST = 250 };

/* A tape that nobody owns, with the numbers from `from` to `to`. */
typedef struct {
    adtape_t *tape;
    int from, to;
} held_t;

static uint64_t seed;
static volatile int over;
static pthread_mutex_t shelf_lock = PTHREAD_MUTEX_INITIALIZER;
static held_t shelf[PLACES];

static void print_seed(void) { fprintf(stderr, "seed %" PRIu64 "\n", seed); }

/* ---- threads ----------------------------------------------------------------------------------------------- */

/* Changes what is held for what lies in a place of the shelf. */
static void exchange(held_t *held, uint64_t place) {
    CHECK(pthread_mutex_lock(&shelf_lock) == 0);
    const held_t other = shelf[place];
    shelf[place] = *held;
    *held = other;
    CHECK(pthread_mutex_unlock(&shelf_lock) == 0);
}

/* Pushes some numbers on a tape that has those of `held`, or pops some. */
static void change(adtape_t *t, held_t *held, uint64_t *state) {
    const int there = held->to - held->from;
    if (there < 2 * MOST && random_below(state, 2)) {
        const int to = held->to + (int)random_below(state, MOST);
        push_numbers(t, held->to, to);
        held->to = to;
    } else {
        const int to = held->to - (int)random_below(state, (uint64_t)there + 1);
        pop_numbers(t, to, held->to);
        held->to = to;
    }
}

static void empty(held_t *held) {
    if (held->tape != NULL) {
        CHECK_OK(adtape_acquire(held->tape));
        pop_numbers(held->tape, held->from, held->to);
        CHECK_OK(adtape_destroy(held->tape));
    }
    memset(held, 0, sizeof *held);
}

/* Works on a tape by handle, of which there may be none yet. */
static void work_on(held_t *held, uint64_t *state) {
    if (held->tape == NULL) {
        held->from = held->to = (int)random_below(state, 1000);
        held->tape = new_tape();
    } else {
        CHECK_OK(adtape_acquire(held->tape));
    }
    for (uint64_t n = random_below(state, 4); n > 0; n--) {
        change(held->tape, held, state);
    }
    CHECK_OK(adtape_release(held->tape, &held->tape));
}

static void *do_anything(void *own_seed) {
    uint64_t state = *(uint64_t *)own_seed;
    held_t held = {NULL, 0, 0}, self = {NULL, 0, 0};
    while (!over) {
        switch (random_below(&state, 8)) {
        case 0:
        case 1: exchange(&held, random_below(&state, PLACES)); break;
        case 2: empty(&held); break;
        case 3:
            if (held.tape == NULL) {
                held = self;
                CHECK_OK(adtape_release(adtape_self(), &held.tape));
                self.from = self.to;
            }
            break;
        case 4: CHECK_OK(adtape_trim(adtape_self(), ADTAPE_TRIM_HARD)); break;
        case 5: work_on(&held, &state); break;
        default: change(adtape_self(), &self, &state);
        }
    }
    empty(&held);
    pop_numbers(adtape_self(), self.from, self.to);
    return NULL;
}

/* ---- children ---------------------------------------------------------------------------------------------- */

static void in_any_child(void *mine) {
    held_t *held = (held_t *)mine;
    uint64_t state = seed ^ (uint64_t)getpid();
    alarm(120);
    if (random_below(&state, 3) == 0) {
        const child_t child = in_child(in_any_child, held);
        CHECK_EXIT(child, 0);
    }
    if (held->tape != NULL) {
        CHECK_OK(adtape_acquire(held->tape));
        if (stats_of(held->tape).spilled_bytes > 0) { /* to the parent's file */
            CHECK_OK(adtape_destroy(held->tape));
        } else {
            CHECK_OK(adtape_release(held->tape, &held->tape));
            work_on(held, &state);
            empty(held);
        }
    }
    push_numbers(adtape_self(), 0, 3 * MOST);
    pop_numbers(adtape_self(), 0, 3 * MOST);
    CHECK(memory().committed_bytes <= memory().limit_bytes);
}

static void run(uint64_t forks) {
    pthread_t threads[THREADS];
    uint64_t state = seed, seeds[THREADS];
    held_t held = {NULL, 0, 0};
    over = 0;
    for (int i = 0; i < THREADS; i++) {
        seeds[i] = random_word(&state);
        CHECK(pthread_create(&threads[i], NULL, do_anything, &seeds[i]) == 0);
    }
    for (uint64_t n = 0; n < forks; n++) {
        exchange(&held, random_below(&state, PLACES));
        usleep((useconds_t)random_below(&state, 3000));
        const child_t child = in_child(in_any_child, &held);
        CHECK_EXIT(child, 0);
    }
    over = 1;
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    empty(&held);
    for (int i = 0; i < PLACES; i++) {
        empty(&shelf[i]);
    }
    CHECK_OK(adtape_destroy(adtape_self()));
    CHECK_U64(memory().committed_bytes, 0);
}

int main(int argc, char **argv) {
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const uint64_t programs = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)part(3);
    const uint64_t forks = argc > 3 ? strtoull(argv[3], NULL, 10) : 30;
    check_context = print_seed;
    begin(3 * LIMIT);
    for (seed = first; seed < first + programs; seed++) {
        run(forks);
    }
    return 0;
}
