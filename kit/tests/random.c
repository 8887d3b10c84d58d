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

#include "calls.h"

enum { STREAMS = 11, MOST_ENTRIES = 600, MOST_LEVELS = 5, MOST_COUNT = 4000, MOST_BYTES = 32 * MOST_COUNT };

/* ---- the calls ---------------------------------------------------------------------------------- */

typedef struct {
    void (*push)(char *x, int n);
    void (*pop)(char *x, int n);
    void (*look)(char *x, int n); /* NULL where the kit has none */
} spelling_t;

#define SCALAR_C(Name, name, T)                                                                         \
    static void Name##_push_c(char *x, int n) { T v; (void)n; memcpy(&v, x, sizeof v); push##Name(v); }  \
    static void Name##_pop_c(char *x, int n) { T v; (void)n; pop##Name(&v); memcpy(x, &v, sizeof v); }
#define SCALAR_FORTRAN(Name, name, T)                                                                       \
    static void Name##_push_f(char *x, int n) { T v; (void)n; memcpy(&v, x, sizeof v); push##name##_(&v); }  \
    static void Name##_pop_f(char *x, int n) { T v; (void)n; pop##name##_(&v); memcpy(x, &v, sizeof v); }    \
    static void Name##_look_f(char *x, int n) { T v; (void)n; look##name##_(&v); memcpy(x, &v, sizeof v); }  \
    static void Name##_look_old(char *x, int n) { T v; (void)n; look##name(&v); memcpy(x, &v, sizeof v); }
#define SCALAR_OLD(Name, name, T)                                                                         \
    static void Name##_push_old(char *x, int n) { T v; (void)n; memcpy(&v, x, sizeof v); push##name(v); }  \
    static void Name##_pop_old(char *x, int n) { T v; (void)n; pop##name(&v); memcpy(x, &v, sizeof v); }
#define ARRAY_C(Name, name, T)                                                       \
    static void Name##Array_push_c(char *x, int n) { push##Name##Array((T *)x, n); }  \
    static void Name##Array_pop_c(char *x, int n) { pop##Name##Array((T *)x, n); }
#define ARRAY_OLD(name, bytes)                                                      \
    static void name##_array_push_f(char *x, int n) { push##name##array_(x, &n); }  \
    static void name##_array_pop_f(char *x, int n) { pop##name##array_(x, &n); }    \
    static void name##_array_look_f(char *x, int n) { look##name##array_(x, &n); }  \
    static void name##_array_push_old(char *x, int n) { push##name##array(x, n); }  \
    static void name##_array_pop_old(char *x, int n) { pop##name##array(x, n); }    \
    static void name##_array_look_old(char *x, int n) { look##name##array(x, n); }
VALUE_TYPES(SCALAR_C)
VALUE_TYPES(SCALAR_FORTRAN)
VALUE_TYPES(ARRAY_C)
POINTER_TYPES(SCALAR_C)
POINTER_TYPES(SCALAR_FORTRAN)
SCALAR_OLD(Integer4, integer4, int)
SCALAR_OLD(Real4, real4, float)
SCALAR_OLD(Real8, real8, double)
SCALAR_OLD(Pointer4, pointer4, void *)
SCALAR_OLD(Pointer8, pointer8, void *)
OLD_ARRAYS(ARRAY_OLD)
ARRAY_C(Real16, real16, long double)

static void Real16_push_c(char *x, int n) { (void)n; pushReal16((long double *)x); }
static void Real16_pop_c(char *x, int n) { (void)n; popReal16((long double *)x); }
static void Real16_push_f(char *x, int n) { (void)n; pushreal16_(x); }
static void Real16_pop_f(char *x, int n) { (void)n; popreal16_(x); }
static void Real16_look_f(char *x, int n) { (void)n; lookreal16_(x); }
static void Real16_look_old(char *x, int n) { (void)n; lookreal16((long double *)x); }
static void pointer_push_f(char *x, int n) { (void)n; pushpointer_((void **)x); }
static void pointer_pop_f(char *x, int n) { (void)n; poppointer_((void **)x); }

static void bytes_push_c(char *x, int n) { pushNArray(x, (unsigned)n, 1); }
static void bytes_pop_c(char *x, int n) { popNArray(x, (unsigned)n, 1); }
static void bytes_push_f(char *x, int n) { unsigned m = (unsigned)n; int yes = 1; pushnarray_(x, &m, &yes); }
static void bytes_pop_f(char *x, int n) { unsigned m = (unsigned)n; int yes = 1; popnarray_(x, &m, &yes); }
static void bytes_push_old(char *x, int n) { pushNarray(x, (unsigned)n); }
static void bytes_pop_old(char *x, int n) { popNarray(x, (unsigned)n); }
static void bytes_look_old(char *x, int n) { lookNarray(x, (unsigned)n); }

#define CONTROL_C(bits)                                                                                          \
    static void control##bits##_push_c(char *x, int n) { int v; (void)n; memcpy(&v, x, 4); pushControl##bits##b(v); } \
    static void control##bits##_pop_c(char *x, int n) { int v; (void)n; popControl##bits##b(&v); memcpy(x, &v, 4); }
#define CONTROL_FORTRAN(bits)                                                                                         \
    static void control##bits##_push_f(char *x, int n) { int v; (void)n; memcpy(&v, x, 4); pushcontrol##bits##b_(&v); } \
    static void control##bits##_pop_f(char *x, int n) { int v; (void)n; popcontrol##bits##b_(&v); memcpy(x, &v, 4); }
#define CONTROL_LOOK(bits) \
    static void control##bits##_look_f(char *x, int n) { int v; (void)n; lookcontrol##bits##b_(&v); memcpy(x, &v, 4); }
#define CONTROL_OLD(bits)                                                                                              \
    static void control##bits##_push_old(char *x, int n) { int v; (void)n; memcpy(&v, x, 4); pushcontrol##bits##b(v); } \
    static void control##bits##_pop_old(char *x, int n) { int v; (void)n; popcontrol##bits##b(&v); memcpy(x, &v, 4); }  \
    static void control##bits##_look_old(char *x, int n) { int v; (void)n; lookcontrol##bits##b(&v); memcpy(x, &v, 4); }
WIDTHS(CONTROL_C)
WIDTHS(CONTROL_FORTRAN)
WIDTHS(CONTROL_LOOK)
OLD_WIDTHS(CONTROL_OLD)
CONTROL_FORTRAN(9)

static int int_at(const char *x) { int v; memcpy(&v, x, sizeof v); return v; }
static void put_int(char *x, int v) { memcpy(x, &v, sizeof v); }
static void boolean_push_c(char *x, int n) { (void)n; pushBoolean(int_at(x)); }
static void boolean_pop_c(char *x, int n) { int v; (void)n; popBoolean(&v); put_int(x, v); }
static void boolean_push_f(char *x, int n) { int v = int_at(x); (void)n; pushboolean_(&v); }
static void boolean_pop_f(char *x, int n) { int v; (void)n; popboolean_(&v); put_int(x, v); }
static void boolean_look_f(char *x, int n) { int v; (void)n; lookboolean_(&v); put_int(x, v); }
static void bit_push_c(char *x, int n) { (void)n; pushBit(int_at(x)); }
static void bit_pop_c(char *x, int n) { (void)n; put_int(x, popBit()); }
static void bit_push_f(char *x, int n) { int v = int_at(x); (void)n; pushbit_(&v); }
static void bit_pop_f(char *x, int n) { (void)n; put_int(x, popbit_()); }
static void bit_push_old(char *x, int n) { (void)n; pushbit(int_at(x)); }
static void bit_pop_old(char *x, int n) { (void)n; put_int(x, popbit()); }
static void bit_look_old(char *x, int n) { (void)n; put_int(x, lookbit()); }

/* ---- kinds -------------------------------------------------------------------------------------- */

/* What is pushed by any spelling of a kind is popped by any other. */
typedef struct {
    const char *name;
    int bytes;   /* of one value; of control, the number of bits, negative */
    int is_array;
    int stream;  /* where the order is by type */
    spelling_t spelling[4];
} kind_t;

#define SPELLING_C(f) {f##_push_c, f##_pop_c, NULL}
#define SPELLING_F(f) {f##_push_f, f##_pop_f, f##_look_f}
#define SPELLING_OLD(f) {f##_push_old, f##_pop_old, f##_look_old}
#define SPELLING_OLD_ARRAY(f) {f##_array_push_f, f##_array_pop_f, f##_array_look_f}, \
                              {f##_array_push_old, f##_array_pop_old, f##_array_look_old}
#define LOOK_OLD(f) {f##_push_c, f##_pop_c, f##_look_old}

#define CONTROL_KIND(bits) {"control" #bits, -bits, 0, 9, {SPELLING_C(control##bits), SPELLING_F(control##bits), SPELLING_OLD(control##bits)}},
#define CONTROL_KIND_NEW(bits) {"control" #bits, -bits, 0, 9, {SPELLING_C(control##bits), SPELLING_F(control##bits)}},
static const kind_t kinds[] = {
    {"integer4", 4, 0, 1, {SPELLING_C(Integer4), SPELLING_F(Integer4), SPELLING_OLD(Integer4)}},
    {"integer8", 8, 0, 2, {LOOK_OLD(Integer8), SPELLING_F(Integer8)}},
    {"real4", 4, 0, 3, {SPELLING_C(Real4), SPELLING_F(Real4), SPELLING_OLD(Real4)}},
    {"real8", 8, 0, 4, {SPELLING_C(Real8), SPELLING_F(Real8), SPELLING_OLD(Real8)}},
    {"real16", 16, 0, 5, {LOOK_OLD(Real16), SPELLING_F(Real16)}},
    {"complex8", 8, 0, 6, {LOOK_OLD(Complex8), SPELLING_F(Complex8)}},
    {"complex16", 16, 0, 7, {LOOK_OLD(Complex16), SPELLING_F(Complex16)}},
    {"character", 1, 0, 8, {LOOK_OLD(Character), SPELLING_F(Character)}},
    {"pointer4", 8, 0, 10, {SPELLING_C(Pointer4), SPELLING_F(Pointer4), SPELLING_OLD(Pointer4), {pointer_push_f, pointer_pop_f, NULL}}},
    {"pointer8", 8, 0, 10, {SPELLING_C(Pointer8), SPELLING_F(Pointer8), SPELLING_OLD(Pointer8)}},
    {"boolean", -1, 0, 9, {SPELLING_C(boolean), SPELLING_F(boolean)}},
    {"bit", -1, 0, 9, {SPELLING_C(bit), {bit_push_f, bit_pop_f, NULL}, SPELLING_OLD(bit)}},
    OLD_WIDTHS(CONTROL_KIND)
    CONTROL_KIND_NEW(6) CONTROL_KIND_NEW(7) CONTROL_KIND_NEW(8)
    {"control9", -9, 0, 9, {{control9_push_f, control9_pop_f, NULL}}},
    {"integer4 array", 4, 1, 0, {SPELLING_C(Integer4Array), SPELLING_OLD_ARRAY(integer4)}},
    {"integer8 array", 8, 1, 0, {SPELLING_C(Integer8Array), SPELLING_OLD_ARRAY(integer8)}},
    {"real4 array", 4, 1, 0, {SPELLING_C(Real4Array), SPELLING_OLD_ARRAY(real4)}},
    {"real8 array", 8, 1, 0, {SPELLING_C(Real8Array), SPELLING_OLD_ARRAY(real8)}},
    {"real16 array", 16, 1, 0, {SPELLING_C(Real16Array), SPELLING_OLD_ARRAY(real16)}},
    {"complex8 array", 8, 1, 0, {SPELLING_C(Complex8Array), SPELLING_OLD_ARRAY(complex8)}},
    {"complex16 array", 16, 1, 0, {SPELLING_C(Complex16Array), SPELLING_OLD_ARRAY(complex16)}},
    {"character array", 1, 1, 0, {SPELLING_C(CharacterArray), SPELLING_OLD_ARRAY(character)}},
    {"integer16 array", 16, 1, 0, {SPELLING_OLD_ARRAY(integer16)}},
    {"real32 array", 32, 1, 0, {SPELLING_OLD_ARRAY(real32)}},
    {"complex4 array", 4, 1, 0, {SPELLING_OLD_ARRAY(complex4)}},
    {"complex32 array", 32, 1, 0, {SPELLING_OLD_ARRAY(complex32)}},
    {"boolean array", 4, 1, 0, {SPELLING_OLD_ARRAY(boolean)}},
    {"pointer4 array", 8, 1, 0, {SPELLING_OLD_ARRAY(pointer4)}},
    {"pointer8 array", 8, 1, 0, {SPELLING_OLD_ARRAY(pointer8)}},
    {"bytes", 1, 1, 0, {SPELLING_C(bytes), {bytes_push_f, bytes_pop_f, NULL}, SPELLING_OLD(bytes)}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

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

static const spelling_t *some_spelling(int kind, int with_look) {
    for (;;) {
        const spelling_t *s = &kinds[kind].spelling[below(4)];
        if (s->push != NULL && (!with_look || s->look != NULL)) {
            return s;
        }
    }
}
static int can_look(int kind) {
    for (int i = 0; i < 4; i++) {
        if (kinds[kind].spelling[i].look != NULL) {
            return 1;
        }
    }
    return 0;
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
    some_spelling(e.kind, 0)->push(buffer + offset, e.count);
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
    some_spelling(e.kind, 0)->pop(buffer + offset, e.count);
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
            if (!can_look(e.kind)) {
                break;
            }
            some_spelling(e.kind, 1)->look(buffer, e.count);
            check(e, 0, "wrong value looked at:");
        }
        if (s == 0 && (by_type || below(2) == 0)) {
            (below(2) ? resetadlookstack_ : resetADLookStack)();
        } else if (!by_type || now.count[s] > 0) {
            const int kind = by_type ? now.entry[s][0].kind : 0;
            const entry_t e = {kind, 1, 1};
            fill(buffer, e);
            some_spelling(kind, 0)->push(buffer, 1);
            some_spelling(kind, 0)->pop(buffer, 1);
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
    if (!by_type && adStack_getCurrentStackSize() != 0) {
        fail("the stack is not empty", "at the end");
    }
    return 0;
}
