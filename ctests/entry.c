/* Entry points of the inline code: the first use of a thread's tape, through every kind of call. */
#include <pthread.h>
#include <signal.h>

#include "child.h"

/* Inline code starts at a constant closed tape. Every call must take it for the thread's own tape, as it does what
 * adtape_self() returns, before and after the first use. */
enum { FIRST_CALLS = 14 };

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
    case 9: CHECK_OK(adtape_stats_get(t, &stats)); break;
    case 10: CHECK_OK(adtape_repeat_start(t)); break;
    case 11:
        CHECK_OK(adtape_attach(t, &local));
        adtape_local_push_f64(&local, x);
        CHECK_OK(adtape_detach(&local));
        break;
    case 12:
        CHECK_OK(adtape_release(t, &handle));
        CHECK_OK(adtape_free(handle));
        break;
    default: CHECK_OK(adtape_free(t));
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
    CHECK_OK(adtape_free(adtape_self()));
    return NULL;
}

static void every_first_call_finds_the_threads_tape(void) {
    for (int i = 0; i < 2 * FIRST_CALLS; i++) {
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
    every_first_call_finds_the_threads_tape();
    closed_constant_is_never_written();
    glue_code_ends_in_the_error_handler();
    return 0;
}
