/* A program that keeps buffers by type of its own, as adBuffer.o does, and replaces only the stack below them: its own
 * definitions of pushReal8 … take precedence, its buffers go through pushNArray, and its repeat regions through
 * startStackRepeat1 and its relatives. Random programs against a naive model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pushNArray(char *x, unsigned int bytes, int check_read_only);
void popNArray(char *x, unsigned int bytes, int check_read_only);
void startStackRepeat1(void);
void startStackRepeat2(void);
void resetStackRepeat1(void);
void resetStackRepeat2(void);
void endStackRepeat(void);
void startstackrepeat1_(void);
void startstackrepeat2_(void);
void resetstackrepeat1_(void);
void resetstackrepeat2_(void);
void endstackrepeat_(void);
void pushReal4Array(float *x, int n);
void popReal4Array(float *x, int n);

/* ---- the program's own buffers ------------------------------------------------------------------- */

enum { FULL = 8, MOST_LEVELS = 4, MOST_VALUES = 500 };

static double reals[FULL];
static int integers[FULL];
static int reals_in, integers_in;
static struct {
    int reals_in, integers_in;
} levels[MOST_LEVELS];
static int level;

void pushReal8(double x) {
    reals[reals_in++] = x;
    if (reals_in == FULL) {
        pushNArray((char *)reals, sizeof reals, 1);
        reals_in = 0;
    }
}
void popReal8(double *x) {
    if (reals_in == 0) {
        popNArray((char *)reals, sizeof reals, 1);
        reals_in = FULL;
    }
    *x = reals[--reals_in];
}
void pushInteger4(int x) {
    integers[integers_in++] = x;
    if (integers_in == FULL) {
        pushNArray((char *)integers, sizeof integers, 1);
        integers_in = 0;
    }
}
void popInteger4(int *x) {
    if (integers_in == 0) {
        popNArray((char *)integers, sizeof integers, 1);
        integers_in = FULL;
    }
    *x = integers[--integers_in];
}

static unsigned real_bytes(void) { return (unsigned)(reals_in * (int)sizeof *reals); }
static unsigned integer_bytes(void) { return (unsigned)(integers_in * (int)sizeof *integers); }

void adStack_startRepeat(void) {
    const int fortran = level % 2;
    (fortran ? startstackrepeat1_ : startStackRepeat1)();
    pushNArray((char *)reals, real_bytes(), 0);
    pushNArray((char *)integers, integer_bytes(), 0);
    levels[level].reals_in = reals_in;
    levels[level++].integers_in = integers_in;
    (fortran ? startstackrepeat2_ : startStackRepeat2)();
}
void adStack_resetRepeat(void) {
    (level % 2 ? resetstackrepeat1_ : resetStackRepeat1)();
    reals_in = levels[level - 1].reals_in;
    integers_in = levels[level - 1].integers_in;
    popNArray((char *)integers, integer_bytes(), 0);
    popNArray((char *)reals, real_bytes(), 0);
    (level % 2 ? resetstackrepeat2_ : resetStackRepeat2)();
}
void adStack_endRepeat(void) {
    (level % 2 ? endstackrepeat_ : endStackRepeat)();
    level--;
}

/* ---- random programs ----------------------------------------------------------------------------- */

typedef struct {
    char kind[MOST_VALUES];
    int value[MOST_VALUES], count;
} model_t;

static model_t now, saved[MOST_LEVELS];
static unsigned long long state = 88172645463325252ull;
static int below(int n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state * 2685821657736338717ull >> 33) % (unsigned)n);
}

static void push_one(void) {
    const int kind = below(3), value = below(1000000);
    float array[5] = {(float)value, 1, 2, 3, 4};
    if (now.count == MOST_VALUES) {
        return;
    }
    switch (kind) {
    case 0: pushReal8(value); break;
    case 1: pushInteger4(value); break;
    default: pushReal4Array(array, 5);
    }
    now.kind[now.count] = (char)kind;
    now.value[now.count++] = value;
}
static void pop_one(void) {
    double real = 0;
    int integer = 0;
    float array[5] = {0};
    if (now.count == 0) {
        return;
    }
    switch (now.kind[--now.count]) {
    case 0: popReal8(&real); break;
    case 1: popInteger4(&integer); real = integer; break;
    default: popReal4Array(array, 5); real = array[0];
    }
    if (real != now.value[now.count]) {
        fprintf(stderr, "popped %g, expected %d\n", real, now.value[now.count]);
        exit(1);
    }
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 100000;
    /* What the model holds at the end of a region stays below what is pushed after it. */
    for (int step = 0; step < steps; step++) {
        const int what = below(100);
        if (what < 50) {
            push_one();
        } else if (what < 95) {
            pop_one();
        } else if (what < 97 && level < MOST_LEVELS) {
            saved[level] = now;
            adStack_startRepeat();
        } else if (what < 99 && level > 0) {
            adStack_resetRepeat();
            now = saved[level - 1];
        } else if (level > 0 && now.count <= saved[level - 1].count) {
            /* Pushed and not yet popped when a region ends is what this interface never kept: balance first. */
            adStack_resetRepeat();
            now = saved[level - 1];
            adStack_endRepeat();
        }
    }
    while (level > 0) {
        adStack_resetRepeat();
        now = saved[level - 1];
        adStack_endRepeat();
    }
    while (now.count > 0) {
        pop_one();
    }
    return 0;
}
