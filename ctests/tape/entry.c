/* Entry points of the inline code: the first use of a thread's tape, through every kind of call. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "child.h"

/* Inline code starts at a constant closed tape. Every call must take it for the thread's own tape, as it does what
 * adtape_self() returns, before and after the first use. The header's pushes of scalars and arrays, the first two calls,
 * never get it: they go on with the handle that they have. */
enum { FIRST_CALLS = 14, WITH_THEIR_HANDLE = 2 };

static adtape_t *closed(void) { return (adtape_t *)&adtape_abi0_closed; }

typedef struct {
    int call;
    adtape_t *(*handle)(void);
} first_t;

static adtape_t *self(void) { return adtape_self(); }

static void first_call(int which, adtape_t *t) {
    adtape_stats_t stats;
    adtape_mark_t mark;
    adtape_local_t local;
    adtape_t *handle = NULL;
    const double x = 1.5;
    const int64_t extent = 1, stride = 8;
    switch (which) {
    case 0: adtape_push_f64(t, x); break;
    case 1: adtape_push_array_f64(t, &x, 1); break;
    case 2: adtape_push_array(t, ADTAPE_TYPE_F64, &x, 1); break;
    case 3: adtape_push_section(t, ADTAPE_TYPE_F64, &x, 1, &extent, &stride); break;
    case 4: adtape_call_push_f64(t, &x); break;
    case 5: adtape_self_push_f64(&x); break;
    case 6: adtape_push_control(t, 1, 1); break;
    case 7: adtape_push_count(t, 1); break;
    case 8: CHECK_OK(adtape_mark_take(t, &mark)); break;
    case 9: CHECK_OK(adtape_stats(t, &stats)); break;
    case 10: CHECK_OK(adtape_repeat_start(t)); break;
    case 11:
        CHECK_OK(adtape_attach(t, &local));
        adtape_local_push_f64(&local, x);
        CHECK_OK(adtape_detach(&local));
        break;
    case 12:
        CHECK_OK(adtape_release(t, &handle));
        CHECK_OK(adtape_destroy(handle));
        break;
    default: CHECK_OK(adtape_destroy(t));
    }
}

static void *first_call_on_new_thread(void *argument) {
    const first_t *first = argument;
    const int call = first->call;
    double x = 0;
    first_call(call, first->handle());
    const adtape_stats_t stats = stats_of(adtape_self());
    CHECK_U64(stats.bytes, call == 7 ? 1 : call <= 5 || call == 11 ? 8 : 0);
    CHECK_U64(stats.pending_bits, call == 6);
    CHECK_U64(stats.repeat_depth, call == 10);
    adtape_push_f64(adtape_self(), 2.5);
    CHECK(adtape_self() == adtape_abi0_self());
    adtape_pop_f64(adtape_self(), &x);
    CHECK_F64(x, 2.5);
    CHECK_OK(adtape_destroy(adtape_self()));
    return NULL;
}

static void every_first_call_finds_the_threads_tape(void) {
    for (int i = 0; i < 2 * FIRST_CALLS; i++) {
        if (i % 2 == 0 && i / 2 < WITH_THEIR_HANDLE) {
            continue;
        }
        first_t first = {i / 2, i % 2 == 0 ? closed : self};
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, first_call_on_new_thread, &first) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
}

static void first_pop(void *argument) {
    const first_t *first = argument;
    adtape_t *t = first->handle();
    double x = 0;
    const int64_t extent = 1, stride = 8;
    switch (first->call) {
    case 0: adtape_pop_f64(t, &x); break;
    case 1: adtape_pop_array_f64(t, &x, 1); break;
    case 2: adtape_pop_array(t, ADTAPE_TYPE_F64, &x, 1); break;
    case 3: adtape_pop_section(t, ADTAPE_TYPE_F64, &x, 1, &extent, &stride); break;
    case 4: adtape_call_pop_f64(t, &x); break;
    case 5: adtape_self_pop_f64(&x); break;
    case 6: (void)adtape_pop_control(t, 1); break;
    default: (void)adtape_pop_count(t);
    }
}

/* No first pop reads anything: the constant closed tape has nothing to give. */
static void every_first_pop_is_an_error(void) {
    for (int i = 0; i < 16; i++) {
        first_t first = {i / 2, i % 2 == 0 ? closed : self};
        const child_t child = in_child(first_pop, &first);
        CHECK_SIGNAL(child, SIGABRT);
        CHECK_HAS(child.text, "adtape: error: pop of ");
        CHECK_HAS(child.text, "first_pop"); /* file and line: errors.c */
    }
}

/* ---- a tape that was opened and never pushed ------------------------------------------------------------- */

static jmp_buf failed;
static void leave_handler(adtape_status_t status, const char *message, void *nothing) {
    (void)status, (void)message, (void)nothing;
    longjmp(failed, 1);
}

/* What opens the cursor of a tape that has no memory yet. */
static void open_by(int how, adtape_t *t) {
    adtape_mark_t mark;
    switch (how) {
    case 0: CHECK_OK(adtape_mark_take(t, &mark)); break;
    case 1: (void)stats_of(t); break;
    case 2: CHECK_OK(adtape_repeat_start(t)); break;
    case 3: adtape_push_array_f64(t, NULL, 0); break;
    case 4:
        CHECK_OK(adtape_process_set_error_handler(leave_handler, NULL));
        if (setjmp(failed) == 0) {
            double x;
            adtape_pop_array_f64(t, &x, 1);
            CHECK(!"a pop of nothing returned");
        }
        CHECK_OK(adtape_process_set_error_handler(NULL, NULL));
        break;
    default: {
        adtape_local_t local;
        CHECK_OK(adtape_attach(t, &local));
        CHECK_OK(adtape_detach(&local));
    }
    }
}
enum { OPENERS = 6 };

typedef struct {
    int opener, pop;
    bool new_tape, local;
} opened_t;

static void pop_of_opened(void *argument) {
    const opened_t *opened = argument;
    adtape_t *t = opened->new_tape ? new_tape() : adtape_self();
    unsigned char x[32];
    open_by(opened->opener, t);
    if (opened->local) {
        adtape_local_t local;
        double y = 0;
        CHECK_OK(adtape_attach(t, &local));
        adtape_local_pop_f64(&local, &y);
        return;
    }
    switch (opened->pop) {
    case 0: adtape_pop_i8(t, (int8_t *)x); break;
    case 1: adtape_pop_f64(t, (double *)x); break;
    case 2: adtape_pop_complex_f128(t, x); break;
    case 3: adtape_pop_array_f64(t, (double *)x, 4); break;
    case 4: (void)adtape_pop_control(t, 1); break;
    default: (void)adtape_pop_count(t);
    }
}

/* The cursor of a tape without memory was opened at address 0, below which the compare of a scalar pop wraps: the pop
 * read there, or, if its value was not used, passed. */
static void pop_from_a_tape_that_was_opened_but_never_pushed_is_an_error(void) {
    for (int i = 0; i < OPENERS * 6 * 2; i++) {
        opened_t opened = {i / 12, i / 2 % 6, i % 2 == 0, false};
        child_t child = in_child(pop_of_opened, &opened);
        CHECK_SIGNAL(child, SIGABRT);
        CHECK_HAS(child.text, "adtape: error: pop of ");
        opened.local = true;
        child = in_child(pop_of_opened, &opened);
        CHECK_SIGNAL(child, SIGABRT);
        CHECK_HAS(child.text, "adtape: error: pop of one f64");
    }
}

static void closed_constant_is_never_written(void) {
    const adtape_t *t = &adtape_abi0_closed;
    CHECK(t->cur == t->limit && t->limit == t->floor);
    CHECK_U64(t->bits, UINT64_C(1) << 63);
}

static void fail_for_glue(void *nothing) {
    (void)nothing;
    adtape_abi0_fail(ADTAPE_STATUS_POISONED, "something is wrong in the glue", NULL);
}

static void glue_code_ends_in_the_error_handler(void) {
    const child_t child = in_child(fail_for_glue, NULL);
    CHECK_SIGNAL(child, SIGABRT);
    CHECK_HAS(child.text, "adtape: error: something is wrong in the glue");
}

int main(void) {
    every_first_pop_is_an_error();
    pop_from_a_tape_that_was_opened_but_never_pushed_is_an_error();
    every_first_call_finds_the_threads_tape();
    closed_constant_is_never_written();
    glue_code_ends_in_the_error_handler();
    return 0;
}
