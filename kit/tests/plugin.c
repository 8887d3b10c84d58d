/* plugin.c: a program that opens plugins, each with a run-time of its own or with the shared ones, and closes them while a
 * thread lives that has used their tapes. */
#if defined(MAIN)
#include <dlfcn.h>
#include <pthread.h>

#include "check.h"

typedef int sweeps_t(void);

enum { MOST = 8 };
static void *plugins[MOST];
static int count;
static pthread_barrier_t barrier;

static void *use_and_wait(void *unused) {
    for (int i = 0; i < count; i++) {
        check(((sweeps_t *)dlsym(plugins[i], "sweeps"))(), "a plugin pops what it pushed");
    }
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    count = argc - 1;
    check(count > 0 && count <= MOST, "some plugins");
    for (int i = 0; i < count; i++) {
        plugins[i] = dlopen(argv[i + 1], RTLD_NOW | RTLD_LOCAL);
        check(plugins[i] != NULL, plugins[i] == NULL ? dlerror() : "");
    }
    check(pthread_barrier_init(&barrier, NULL, 2) == 0, "a barrier");
    check(pthread_create(&thread, NULL, use_and_wait, NULL) == 0, "a thread");
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < count; i++) {
        check(dlclose(plugins[i]) == 0, "a plugin is closed");
    }
    pthread_barrier_wait(&barrier);
    check(pthread_join(thread, NULL) == 0, "the thread ends");
    puts("passed");
    return 0;
}
#elif defined(PLAIN)
#include <adtape.h>

int sweeps(void) {
    double x = 0.0;
    adtape_push_f64(adtape_self(), 3.0);
    adtape_pop_f64(adtape_self(), &x);
    return x == 3.0;
}
#else
void pushReal8(double x);
void popReal8(double *x);

int sweeps(void) {
    double x = 0.0;
    pushReal8(3.0);
    popReal8(&x);
    return x == 3.0;
}
#endif
