#include "terminal.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR_COLUMNS = 32 };

static int64_t total_units = 1, done_units = 0;
static char current_label[32] = "";
static int shown = 0;
static double drawn_at = -1.0;

void progress_start(int64_t units) {
    total_units = units > 0 ? units : 1;
    done_units = 0;
}

void progress_label(const char *label) {
    (void)snprintf(current_label, sizeof current_label, "%s", label);
}

void progress_add(int32_t units) {
    static int terminal = -1;
    char bar[BAR_COLUMNS + 1];
    double now;
    /* How often a line search evaluates is a guess: the bar waits at its end rather than overrun. */
    done_units = done_units + units < total_units ? done_units + units : total_units;
    if (terminal < 0) {
        terminal = isatty(STDERR_FILENO);
    }
    if (!terminal || (now = clock_seconds()) - drawn_at < 0.1) {
        return;
    }
    for (int i = 0; i < BAR_COLUMNS; i++) {
        bar[i] = i < done_units * BAR_COLUMNS / total_units ? '#' : '.';
    }
    bar[BAR_COLUMNS] = '\0';
    (void)fprintf(stderr, "\r[%s] %3d %%  %-28.28s", bar, (int)(done_units * 100 / total_units), current_label);
    (void)fflush(stderr);
    shown = 1;
    drawn_at = now;
}

void progress_clear(void) {
    if (shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        shown = 0;
        drawn_at = -1.0;
    }
}

double clock_seconds(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void format_bytes(char out[16], int64_t bytes) {
    const double b = (double)bytes;
    if (b < 1e6) {
        (void)snprintf(out, 16, "%.1f kB", b / 1e3);
    } else if (b < 1e9) {
        (void)snprintf(out, 16, "%.1f MB", b / 1e6);
    } else {
        (void)snprintf(out, 16, "%.2f GB", b / 1e9);
    }
}
