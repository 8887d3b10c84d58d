/* Random programs over all pushes, pops and looks of the kit, with repeat regions and nested checkpoints, against a
 * naive model.
 *
 *   random PROGRAMS STEPS SEED [one|type]      the order that the environment asks for
 *
 * The model is a list of entries (kind, count, seed of the contents) for each stream; a repeat region is a copy of it.
 * A failure prints seed and step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"

enum { STREAMS = 11, MOST_ENTRIES = 600, MOST_LEVELS = 5, MOST_COUNT = 4000, MOST_BYTES = 32 * MOST_COUNT };

/* ---- random numbers, contents -------------------------------------------------------------------- */

static uint64_t state;
static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545F4914F6CDD1D);
}
static int below(int n) { return (int)(next_random() >> 33) % n; }

static uint64_t first_seed;
static int step;
static void fail(const char *what, const char *which) {
    fprintf(stderr, "seed %llu, step %d: %s %s\n", (unsigned long long)first_seed, step, what, which);
    exit(1);
}

typedef struct {
    int kind, count;
    uint64_t seed;
} entry_t;

static int bytes_of(entry_t e) { return kinds[e.kind].bytes < 0 ? 4 : kinds[e.kind].bytes * e.count; }

static void fill(char *x, entry_t e) {
    uint64_t word = e.seed;
    for (int i = 0; i < bytes_of(e); i++) {
        if (i % 8 == 0) {
            word = word * UINT64_C(6364136223846793005) + 1442695040888963407u;
        }
        x[i] = (char)(word >> (8 * (i % 8)));
    }
}

/* What a pop is to yield: of control, the low bits, and for the top one whether anything is left. */
static void expect(char *x, entry_t e) {
    fill(x, e);
    if (kinds[e.kind].bytes < 0) {
        const int low = -kinds[e.kind].bytes - 1;
        const int v = int_at(x);
        put_int(x, (v & ((1 << low) - 1)) | (v >> low != 0) << low);
    }
}

/* ---- the model ---------------------------------------------------------------------------------- */

typedef struct {
    entry_t entry[STREAMS][MOST_ENTRIES];
    int count[STREAMS];
} model_t;

static model_t now, saved[MOST_LEVELS];
static int level, by_type;
static char buffer[MOST_BYTES + 16], expected[MOST_BYTES + 16];

static int stream_of(int kind) { return by_type ? kinds[kind].stream : 0; }

enum { PUSH, POP, LOOK, OPERATIONS };
enum { SPELLINGS = sizeof kinds->spelling / sizeof *kinds->spelling };
static int performed[KINDS][SPELLINGS][OPERATIONS];

static void (*spelled(int kind, int spelling, int operation))(char *x, int n) {
    const spelling_t *s = &kinds[kind].spelling[spelling];
    return operation == PUSH ? s->push : operation == POP ? s->pop : s->look;
}

/* By any spelling that there is; 0 if there is none. */
static int perform(int operation, entry_t e, char *x) {
    for (int tries = 0; tries < 100; tries++) {
        const int spelling = below(SPELLINGS);
        void (*const call)(char *x, int n) = spelled(e.kind, spelling, operation);
        if (call != NULL) {
            call(x, e.count);
            performed[e.kind][spelling][operation]++;
            return 1;
        }
    }
    return 0;
}

/* After runs that are long enough: chance leaves nothing out of them. */
static void check_that_all_were_performed(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        for (int spelling = 0; spelling < SPELLINGS; spelling++) {
            for (int operation = 0; operation < OPERATIONS; operation++) {
                if (spelled(kind, spelling, operation) != NULL && performed[kind][spelling][operation] == 0) {
                    fail("never called:", kinds[kind].name);
                }
            }
        }
    }
}

static void push_one(void) {
    entry_t e = {below(KINDS), 1, next_random()};
    const int s = stream_of(e.kind);
    if (now.count[s] == MOST_ENTRIES) {
        return;
    }
    if (kinds[e.kind].is_array) {
        e.count = below(20) == 0 ? 1 + below(MOST_COUNT) : 1 + below(below(3) == 0 ? 200 : 8);
    }
    const int offset = kinds[e.kind].is_array && kinds[e.kind].bytes < 16 ? below(8) : 0;
    fill(buffer + offset, e);
    perform(PUSH, e, buffer + offset);
    now.entry[s][now.count[s]++] = e;
}

static void check(entry_t e, int offset, const char *what) {
    expect(expected, e);
    if (memcmp(buffer + offset, expected, (size_t)bytes_of(e)) != 0) {
        fail(what, kinds[e.kind].name);
    }
}

static void pop_one(void) {
    const int s = by_type ? below(STREAMS) : 0;
    if (now.count[s] == 0) {
        return;
    }
    const entry_t e = now.entry[s][--now.count[s]];
    const int offset = kinds[e.kind].is_array && kinds[e.kind].bytes < 16 ? below(8) : 0;
    memset(buffer, 0x55, (size_t)bytes_of(e) + 16);
    perform(POP, e, buffer + offset);
    check(e, offset, "wrong value popped:");
    if (buffer[offset + bytes_of(e)] != 0x55) {
        fail("popped too much:", kinds[e.kind].name);
    }
}

/* Reads a few entries without popping, twice: it starts over after a push or pop, and, of arrays, when told to. */
static void look(void) {
    const int s = by_type ? below(STREAMS) : 0, deep = 1 + below(6);
    for (int again = 0; again < 2; again++) {
        for (int i = now.count[s] - 1; i >= 0 && i >= now.count[s] - deep; i--) {
            const entry_t e = now.entry[s][i];
            if (!perform(LOOK, e, buffer)) {
                break;
            }
            check(e, 0, "wrong value looked at:");
        }
        if (s == 0 && (by_type || below(2) == 0)) {
            (below(2) ? resetadlookstack_ : resetADLookStack)();
        } else if (!by_type || now.count[s] > 0) {
            const int kind = by_type ? now.entry[s][0].kind : 0;
            const entry_t e = {kind, 1, 1};
            fill(buffer, e);
            perform(PUSH, e, buffer);
            perform(POP, e, buffer);
            check(e, 0, "wrong value popped after looking:");
        }
    }
}

static void repeat(void) {
    switch (below(3)) {
    case 0:
        if (level < MOST_LEVELS) {
            adStack_startRepeat();
            saved[level++] = now;
        }
        break;
    case 1:
        if (level > 0) {
            adStack_resetRepeat();
            now = saved[level - 1];
        }
        break;
    default:
        if (level > 0) {
            adStack_endRepeat();
            level--;
        }
    }
}

/* The calls of nested checkpoints: pushes of a section, then pops, with inner sections between. */
static void checkpoint(int depth) {
    const int n = 1 + below(60);
    for (int i = 0; i < n; i++) {
        push_one();
    }
    for (int i = 0; i < 2 && depth > 0; i++) {
        checkpoint(depth - 1);
    }
    for (int i = 0; i < n; i++) {
        pop_one();
    }
}

int main(int argc, char **argv) {
    const int programs = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 2000;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
    by_type = argc > 4 && strcmp(argv[4], "type") == 0;
    for (int program = 0; program < programs; program++) {
        first_seed = seed + (uint64_t)program;
        state = first_seed * UINT64_C(0x9E3779B97F4A7C15) | 1;
        for (step = 0; step < steps; step++) {
            const int what = below(100);
            if (what < 48) {
                push_one();
            } else if (what < 88) {
                pop_one();
            } else if (what < 93) {
                look();
            } else if (what < 99) {
                repeat();
            } else {
                checkpoint(below(3));
            }
        }
        while (level > 0) {
            adStack_endRepeat();
            level--;
        }
        for (int s = 0; s < STREAMS; s++) {
            while (now.count[s] > 0) {
                pop_one();
            }
            if (!by_type) {
                break;
            }
        }
        for (int s = 0; s < STREAMS; s++) {
            now.count[s] = 0;
        }
    }
    if (programs * steps >= 50000) {
        check_that_all_were_performed();
    }
    if (!by_type && adStack_getCurrentStackSize() != 0) {
        fail("the stack is not empty", "at the end");
    }
    return 0;
}
