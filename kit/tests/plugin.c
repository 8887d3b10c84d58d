/* plugin.c: a program that opens plugins, each with a run-time of its own or with the shared ones, and closes them while a
 * thread lives that has used their tapes. With --random in front of them, threads open, use and close them at random, and
 * end. */
#if defined(MAIN)
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

typedef int sweeps_t(void);

enum { MOST = 8, THREADS = 4, ROUNDS = 20, STEPS = 12 };
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

static char **paths;

static unsigned below(uint64_t *state, unsigned limit) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % limit;
}

/* Who closes a plugin last ends, perhaps, when nobody has it any more. */
static void *do_anything(void *seed) {
    uint64_t state = (uint64_t)(uintptr_t)seed;
    void *mine[MOST] = {NULL};
    for (int step = 0; step < STEPS; step++) {
        const unsigned i = below(&state, (unsigned)count);
        if (mine[i] == NULL) {
            mine[i] = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
            check(mine[i] != NULL, mine[i] == NULL ? dlerror() : "");
        }
        if (below(&state, 3) != 0) {
            check(((sweeps_t *)dlsym(mine[i], "sweeps"))(), "a plugin pops what it pushed");
        }
        if (below(&state, 2) != 0) {
            check(dlclose(mine[i]) == 0, "a plugin is closed");
            mine[i] = NULL;
        }
    }
    for (int i = 0; i < count; i++) {
        check(mine[i] == NULL || dlclose(mine[i]) == 0, "a plugin is closed");
    }
    return NULL;
}

static void use_at_random(void) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t all[THREADS];
        for (int i = 0; i < THREADS; i++) {
            void *seed = (void *)(uintptr_t)(round * THREADS + i + 1);
            check(pthread_create(&all[i], NULL, do_anything, seed) == 0, "a thread");
        }
        for (int i = 0; i < THREADS; i++) {
            check(pthread_join(all[i], NULL) == 0, "a thread ends");
        }
    }
}

int main(int argc, char **argv) {
    pthread_t thread;
    if (argc > 1 && strcmp(argv[1], "--random") == 0) {
        count = argc - 2;
        paths = argv + 2;
        check(count > 0 && count <= MOST, "some plugins");
        use_at_random();
        puts("passed");
        return 0;
    }
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
