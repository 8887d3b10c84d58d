/* modules.c: a program, a library that it is linked with and libraries that it opens, with the shared kit. Each pushes what
 * the next one pops. */
void pushReal8(double x);
void popReal8(double *x);
void pushControl2b(int cc);
void popControl2b(int *cc);

#if defined(MAIN)
#include <dlfcn.h>
#include <pthread.h>

#include "check.h"

typedef void work_t(double *x, int *cc);
void linked_push(double *x, int *cc);
void linked_pop(double *x, int *cc);

enum { MOST = 100 };
static work_t *push[MOST], *pop[MOST];
static int libraries;

static void *sweeps(void *unused) {
    double x = 1.0;
    int cc = 1;
    pushReal8(0.5);
    pushControl2b(3);
    linked_push(&x, &cc);
    for (int i = 0; i < libraries; i++) {
        push[i](&x, &cc);
    }
    /* What each library pushed the one before pops. */
    for (int i = libraries - 1; i >= 0; i--) {
        (i > 0 ? pop[i - 1] : linked_pop)(&x, &cc);
        check(x == 2.0 + i && cc == (2 + i) % 4, "a library pops what another one pushed");
    }
    popControl2b(&cc);
    popReal8(&x);
    check(x == 1.0 && cc == 1, "the program pops what a library pushed");
    popControl2b(&cc);
    popReal8(&x);
    check(x == 0.5 && cc == 3, "the program pops what it pushed");
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    check(argc == 3, "a directory and a number");
    libraries = atoi(argv[2]);
    for (int i = 0; i < libraries; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/opened%d.so", argv[1], i);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        check(library != NULL, library == NULL ? dlerror() : "");
        push[i] = (work_t *)dlsym(library, "opened_push");
        pop[i] = (work_t *)dlsym(library, "opened_pop");
    }
    sweeps(NULL);
    check(pthread_create(&thread, NULL, sweeps, NULL) == 0, "a thread");
    pthread_join(thread, NULL);
    sweeps(NULL);
    puts("passed");
    return 0;
}
#else
#if defined(LINKED)
#define NAME(what) linked_##what
#else
#define NAME(what) opened_##what
#endif
/* Each library pushes the number after that of the last one. */
void NAME(push)(double *x, int *cc) {
    pushReal8(*x);
    pushControl2b(*cc);
    *x += 1.0;
    *cc = (*cc + 1) % 4;
}
void NAME(pop)(double *x, int *cc) {
    popControl2b(cc);
    popReal8(x);
}
#endif
