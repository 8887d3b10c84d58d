/* child.h: runs a part of a test in a child process, which may abort, and collects what it says and how it ends. */
#ifndef CHILD_H
#define CHILD_H

#include <errno.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

typedef struct {
    int exit_code; /* -1 if a signal ended it */
    int signal;    /* 0 if it ended by itself */
    char text[16384]; /* what it wrote to standard error */
} child_t;

CHECK_UNUSED_ static child_t in_child(void (*run)(void *), void *argument) {
    child_t child;
    int channel[2], status = 0;
    size_t have = 0;
    memset(&child, 0, sizeof child);
    fflush(NULL);
    CHECK(pipe(channel) == 0);
    const pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        close(channel[0]);
        dup2(channel[1], STDERR_FILENO);
        close(channel[1]);
        run(argument);
        fflush(NULL);
        _exit(0);
    }
    close(channel[1]);
    for (;;) {
        const ssize_t n = read(channel[0], child.text + have, sizeof child.text - 1 - have);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        have += (size_t)n;
    }
    close(channel[0]);
    CHECK(waitpid(pid, &status, 0) == pid);
    child.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    child.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return child;
}

/* How many of so many children, threads or programs there are: a quarter of them, but all in make matrix, which sets
 * TEST_ALL. */
CHECK_UNUSED_ static int part(int all) {
    return getenv("TEST_ALL") != NULL ? all : (all + 3) / 4;
}

/* A child that did what it should: printed nothing but, perhaps, a complaint of its own, and ended with this code. */
#define CHECK_EXIT(child, code)                                                                               \
    do {                                                                                                      \
        if ((child).exit_code != (code)) {                                                                    \
            check_failed(__FILE__, __LINE__, "child ended with code %d, signal %d, expected code %d, and said: %s", \
                         (child).exit_code, (child).signal, code, (child).text);                              \
        }                                                                                                     \
    } while (0)

#define CHECK_SIGNAL(child, number)                                                                           \
    do {                                                                                                      \
        if ((child).signal != (number)) {                                                                     \
            check_failed(__FILE__, __LINE__, "child ended with code %d, signal %d, expected signal %d, and said: %s", \
                         (child).exit_code, (child).signal, number, (child).text);                            \
        }                                                                                                     \
    } while (0)

/* Runs cases, each in a child of its own, because what they set is the process's. */
CHECK_UNUSED_ static void run_cases(void (*const cases[])(void *), size_t count) {
    for (size_t i = 0; i < count; i++) {
        const child_t child = in_child(cases[i], NULL);
        if (child.exit_code != 0) {
            fprintf(stderr, "case %zu: ", i);
        }
        CHECK_EXIT(child, 0);
    }
}
#define RUN_CASES(cases) run_cases(cases, sizeof(cases) / sizeof *(cases))

#endif
