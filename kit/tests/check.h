/* check.h: conditions, and errors that end the process, tried in a child. */
#ifndef CHECK_H
#define CHECK_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what) {
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}
static void check(int condition, const char *what) {
    if (!condition) {
        fail(what);
    }
}

/* Runs `part` in a child; it must abort with a message that has `words`. */
__attribute__((unused)) static void must_abort(void (*part)(void), const char *words) {
    char text[4096] = "";
    int channel[2], status = 0;
    size_t have = 0;
    ssize_t n;
    check(pipe(channel) == 0, "pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(channel[1], STDERR_FILENO);
        part();
        _exit(0);
    }
    close(channel[1]);
    while ((n = read(channel[0], text + have, sizeof text - 1 - have)) > 0) {
        have += (size_t)n;
    }
    close(channel[0]);
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || strstr(text, words) == NULL) {
        fprintf(stderr, "status %#x, said: %s, expected: %s\n", status, text, words);
        fail("an error is to abort with its message");
    }
}

#endif
