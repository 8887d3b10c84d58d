/* Binomial checkpointing and fixed points, through the kit's names, in C and in Fortran spelling.
 *
 *   binomial             all of it
 *   binomial replaced    the program's own adFixedPoint_tooLarge is called (built with -DREPLACE) */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PUSHSNAP = 1, LOOKSNAP, POPSNAP, ADVANCE, FIRSTTURN, TURN };

void adBinomial_init(int length, int nbSnap, int firstStep);
int adBinomial_next(int *action, int *step);
void adBinomial_resize(void);
void adbinomial_init_(int *length, int *nbSnap, int *firstStep);
int adbinomial_next_(int *action, int *step);
void adbinomial_resize_(void);
int adFixedPoint_notReduced(double cumul, float reduction);
int adFixedPoint_tooLarge(double cumul, float minCumul);
int adfixedpoint_notreduced_(double *cumul, float *reduction);
int adfixedpoint_toolarge_(double *cumul, float *minCumul);

static void check(int condition, const char *what, int a, int b) {
    if (!condition) {
        fprintf(stderr, "failed: %s (%d, %d)\n", what, a, b);
        exit(1);
    }
}

/* t(n, s) by its definition, for small numbers. */
static int64_t least(int n, int s) {
    static int64_t known[301][41];
    if (n <= 1) {
        return 0;
    }
    if (s == 1) {
        return (int64_t)n * (n - 1) / 2;
    }
    if (n <= 300 && s <= 40 && known[n][s] > 0) {
        return known[n][s];
    }
    int64_t best = INT64_MAX;
    for (int m = 1; m < n; m++) {
        const int64_t with = m + least(m, s) + least(n - m, s - 1);
        best = with < best ? with : best;
    }
    return known[n][s] = best;
}

/* Reverses a loop that was planned for `length` steps and exits in step `last`; returns the number of ADVANCEs. The
 * snapshots are a stack, as in generated code, and every action finds the state that it needs. `inner` is reversed
 * inside of each turn. */
static int64_t reverse(int length, int snapshots, int last, int inner, int fortran) {
    static int stack[64][400];
    static int level = -1;
    int first_step = 7, action = 0, step = 0, depth = 0, state = 0, reversed = last + 1, resized = last == length;
    int64_t advances = 0;
    level++;
    fortran ? adbinomial_init_(&length, &snapshots, &first_step) : adBinomial_init(length, snapshots, first_step);
    while (fortran ? adbinomial_next_(&action, &step) : adBinomial_next(&action, &step)) {
        switch (action) {
        case PUSHSNAP:
            check(step == state && depth < snapshots, "a snapshot of the present state", step, state);
            stack[level][depth++] = state;
            break;
        case LOOKSNAP:
            check(depth > 0 && stack[level][depth - 1] == step, "look at the uppermost snapshot", step, depth);
            state = step;
            break;
        case POPSNAP:
            check(depth > 0 && stack[level][--depth] == step, "take the uppermost snapshot", step, depth);
            state = step;
            break;
        case ADVANCE:
            check(step == state + 1 && step < reversed, "advance from the present state", step, state);
            if (!resized && step == last) {
                fortran ? adbinomial_resize_() : adBinomial_resize();
                resized = 1;
            } else {
                state = step;
                advances++;
            }
            break;
        case FIRSTTURN:
        case TURN:
            check((action == FIRSTTURN) == (reversed == last + 1), "the first turn is the loop's last step", step, last);
            check(step == state + 1 && step == reversed - 1, "turn the last step that is left", step, reversed);
            reversed = step;
            state = -1000;
            if (inner > 0) {
                reverse(inner, 2, inner, 0, !fortran);
            }
            break;
        default: check(0, "an action", action, step);
        }
    }
    check(action == -1 && step == -1, "the end", action, step);
    check(depth == 0 && reversed == 1, "all is reversed and no snapshot is left", depth, reversed);
    level--;
    return advances;
}

static void binomial(void) {
    for (int n = 0; n <= 120; n++) {
        for (int s = 1; s <= 12; s++) {
            check(reverse(n, s, n, 0, s % 2) == least(n, s), "the least number of steps", n, s);
        }
    }
    check(reverse(200000, 10, 200000, 0, 0) == 1847284, "t(200000, 10)", 0, 0);
    /* More snapshots than the kit has room for. */
    check(reverse(300, 300, 300, 0, 0) == 299, "all states stored", 0, 0);
    check(reverse(30, 3, 30, 9, 0) == least(30, 3), "nested", 0, 0);
    fflush(stdout);
    for (int n = 2; n <= 40; n++) {
        for (int s = 1; s <= 6; s++) {
            for (int last = 1; last < n; last++) {
                reverse(n, s, last, last % 5, n % 2);
            }
        }
    }
}

static void fixed_points(void) {
    double cumul = -1.0;
    float reduction = 0.25f;
    check(adFixedPoint_tooLarge(-1.0, 0.5f) == 1, "a loop begins", 0, 0);
    check(adFixedPoint_tooLarge(2.0, 0.5f) == 1, "still too large", 0, 0);
    check(adfixedpoint_notreduced_(&cumul, &reduction) == 1, "an inner loop begins", 0, 0);
    cumul = 1.0;
    check(adfixedpoint_notreduced_(&cumul, &reduction) == 1, "the reference", 0, 0);
    cumul = 0.3;
    check(adfixedpoint_notreduced_(&cumul, &reduction) == 1, "not reduced", 0, 0);
    cumul = 0.25;
    check(adfixedpoint_notreduced_(&cumul, &reduction) == 0, "reduced", 0, 0);
    cumul = 0.6;
    check(adfixedpoint_toolarge_(&cumul, &reduction) == 1, "the outer loop goes on", 0, 0);
    check(adFixedPoint_tooLarge(0.5, 0.5f) == 0, "small enough", 0, 0);
    check(adFixedPoint_tooLarge(5.0, 0.5f) == 0, "none has begun", 0, 0);
    /* A tiny reference ends the loop, and so does growth after some iterations. */
    check(adFixedPoint_notReduced(-1.0, 0.1f) == 1 && adFixedPoint_notReduced(1e-11, 0.1f) == 0, "tiny", 0, 0);
    check(adFixedPoint_notReduced(-1.0, 1e-6f) == 1, "begins", 0, 0);
    for (int i = 0; i < 6; i++) {
        check(adFixedPoint_notReduced(1.0 - 0.1 * i, 1e-6f) == 1, "goes on", i, 0);
    }
    check(adFixedPoint_notReduced(0.9, 1e-6f) == 0, "grows", 0, 0);
    /* More levels than the kit has. */
    for (int i = 0; i < 50; i++) {
        check(adFixedPoint_tooLarge(-1.0, 0.5f) == 1, "nested", i, 0);
    }
    for (int i = 0; i < 50; i++) {
        check(adFixedPoint_tooLarge(0.1, 0.5f) == 0, "nested", i, 0);
    }
}

/* Runs `part` in a child; it must abort with a message that has `words`. */
static void must_abort(void (*part)(void), const char *words) {
    char text[4096] = "";
    int channel[2], status = 0;
    check(pipe(channel) == 0, "pipe", 0, 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(channel[1], STDERR_FILENO);
        part();
        _exit(0);
    }
    close(channel[1]);
    for (size_t have = 0; have < sizeof text - 1;) {
        const ssize_t n = read(channel[0], text + have, sizeof text - 1 - have);
        if (n <= 0) {
            break;
        }
        have += (size_t)n;
    }
    close(channel[0]);
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || strstr(text, words) == NULL) {
        fprintf(stderr, "said: %s, expected: %s\n", text, words);
        check(0, "an error is to abort with its message", status, 0);
    }
}

static void without_snapshot(void) { adBinomial_init(2, 0, 1); }
static void without_session(void) {
    int action, step;
    adBinomial_next(&action, &step);
}
static void resize_at_rest(void) {
    adBinomial_init(5, 2, 1);
    adBinomial_resize();
}

#ifdef REPLACE
int adFixedPoint_tooLarge(double cumul, float minCumul) { return cumul == 42.0 && minCumul == 0.5f; }
#endif

int main(int n, char **arguments) {
    if (n > 1 && strcmp(arguments[1], "replaced") == 0) {
        double cumul = 42.0;
        float least_one = 0.5f;
        check(adFixedPoint_tooLarge(-1.0, 0.5f) == 0, "the program's own", 0, 0);
        check(adfixedpoint_toolarge_(&cumul, &least_one) == 1, "the program's own, from Fortran", 0, 0);
        return 0;
    }
    binomial();
    fixed_points();
    must_abort(without_snapshot, "without a snapshot");
    must_abort(without_session, "call adBinomial_init first");
    must_abort(resize_at_rest, "after something else");
    return 0;
}
