/* A program and a shared library of its own, both with inlined pushes and pops, on the one tape of each thread.
 * Compiled twice: with -DMODULE as the shared library, without as the program. Both against libadtape.so. */
#include <pthread.h>

#include "check.h"

#if defined(MODULE)
#define IN_MODULE(declaration, body) declaration body
#else
#define IN_MODULE(declaration, body) declaration;
#endif

IN_MODULE(adtape_t *module_self(void), { return adtape_self(); })
IN_MODULE(void module_push(double x), { adtape_push_f64(adtape_self(), x); })
IN_MODULE(double module_pop(void), {
    double x = 0;
    adtape_pop_f64(adtape_self(), &x);
    return x;
})
IN_MODULE(void module_push_control(uint64_t value), { adtape_push_control(adtape_self(), value, 7); })

#if !defined(MODULE)

static void *use_both(void *which_first) {
    double x = 0;
    if (*(const int *)which_first == 0) {
        module_push(-1);
    } else {
        adtape_push_f64(adtape_self(), -1);
    }
    CHECK(module_self() == adtape_self());
    for (int i = 0; i < 5000; i++) {
        module_push(i);
        adtape_push_f64(adtape_self(), i + 0.5);
        module_push_control((uint64_t)i & 127);
    }
    for (int i = 4999; i >= 0; i--) {
        CHECK_U64(adtape_pop_control(adtape_self(), 7), (uint64_t)i & 127);
        CHECK_F64(module_pop(), i + 0.5);
        adtape_pop_f64(adtape_self(), &x);
        CHECK_F64(x, i);
    }
    CHECK_F64(module_pop(), -1);
    CHECK_U64(stats_of(adtape_self()).bytes, 0);
    return NULL;
}

/* The first call of a thread passes the constant that both modules start with: they must agree on where it is. */
static void *first_call_by_handle(void *nothing) {
    adtape_stats_t stats;
    adtape_mark_t mark;
    (void)nothing;
    CHECK_OK(adtape_stats((adtape_t *)&adtape_abi0_closed, &stats));
    CHECK_OK(adtape_mark_take(module_self(), &mark));
    CHECK_OK(adtape_mark_reset(adtape_self(), &mark));
    return NULL;
}

int main(void) {
    for (int which_first = 0; which_first < 2; which_first++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, use_both, &which_first) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        use_both(&which_first);
        CHECK(pthread_create(&thread, NULL, first_call_by_handle, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    return 0;
}

#endif
