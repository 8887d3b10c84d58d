/* The calls on addresses.
 *
 *   admm random PROGRAMS SEED    forward and reverse sweeps against the truth, under four pairs of allocators
 *   admm edges                   sizes, ends, reuse, what is dropped; prints statistics
 *   admm cost                    what a block costs among 30,000, over what it costs among 3,000
 *   admm threads                 four threads with blocks of their own
 *
 * With KIT_INLINE the names come from kit/include/admm.h; with ABI2020 the arguments are those of 2020. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "addresses.h"

static const char *context = "";

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "line %d: not %s\n%s\n", __LINE__, #condition, context);      \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

static uint64_t state;
static int below(int n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int)((state >> 20) % (uint64_t)n);
}

/* ---- two allocators: addresses that never come again, and the lowest that is free ---- */

enum { UNIT = 16, ROOM = 1 << 22, DEAD = 0xDB };
static char *arena;
static unsigned char used[ROOM / UNIT];
static int next_fresh, highest, gap;

static void *take(int fresh, int bytes) {
    int units = (bytes + UNIT - 1) / UNIT + gap, at = fresh ? next_fresh : 0;
    for (int run = 0; !fresh && run < units; at++) {
        run = used[at] ? 0 : run + 1;
        if (run == units) {
            at -= units;
        }
    }
    if (at + units > next_fresh) {
        next_fresh = at + units;
    }
    CHECK(next_fresh < ROOM / UNIT);
    highest = next_fresh > highest ? next_fresh : highest;
    memset(used + at, 1, (size_t)units);
    char *block = arena + (size_t)at * UNIT;
    for (int i = 0; i < bytes; i++) { /* nobody has written to memory that was given back */
        CHECK((unsigned char)block[i] == DEAD);
    }
    memset(block, 0, (size_t)bytes);
    return block;
}

static void give(void *block, int bytes) {
    memset(block, DEAD, (size_t)bytes);
    memset(used + ((char *)block - arena) / UNIT, 0, (size_t)((bytes + UNIT - 1) / UNIT + gap));
}

/* ---- random programs ---- */

enum { OBJECTS = 60, ROOTS = 6, SLOTS = 3, EVENTS = 400 };

typedef struct {
    int object; /* -1: NULL */
    int offset;
    int lost; /* restored while its object was away, and another may have lain there: not to be told from the address */
} target_t;
typedef struct {
    int bytes, shadowed, alive, elements;
    char *now, *nowb, *then, *thenb;
    target_t slot[SLOTS];
} object_t;
typedef struct {
    enum { BIRTH, DEATH, ASSIGN } what;
    int object, index; /* variable: index in an object, or of a root if object is -1 */
    target_t was[SLOTS];
    void *value[SLOTS], *valueb[SLOTS];
} event_t;

static object_t objects[OBJECTS];
static int born;
static event_t events[EVENTS];
static int recorded;
static void *root[ROOTS], *rootb[ROOTS];
static target_t root_target[ROOTS];

static void **variable(int object, int i) { return object < 0 ? &root[i] : (void **)objects[object].now + i; }
static void **variableb(int object, int i) { return object < 0 ? &rootb[i] : (void **)objects[object].nowb + i; }
static target_t *target(int object, int i) { return object < 0 ? &root_target[i] : &objects[object].slot[i]; }

static int any_alive(int shadowed) {
    for (int tries = 0; born && tries < 50; tries++) {
        int i = below(born);
        if (objects[i].alive && (!shadowed || objects[i].shadowed)) {
            return i;
        }
    }
    return -1;
}

static void allocate(object_t *o, int fresh) {
    o->now = take(fresh, o->bytes);
    o->nowb = o->shadowed ? take(fresh, o->bytes) : NULL;
    o->alive = 1;
}

static void end(object_t *o) {
    int n = -1;
    if (o->shadowed) {
        ADMM_unregisterShadowed(o->now, o->nowb, &n);
        give(o->nowb, o->bytes);
    } else {
        ADMM_unregister(o->now, &n);
    }
    CHECK(n == o->elements);
    give(o->now, o->bytes);
    o->alive = 0;
}

static void birth(int fresh) {
    object_t *o = &objects[born];
    memset(o, 0, sizeof *o);
    o->bytes = 8 * SLOTS + 8 * below(20);
    o->shadowed = below(4) > 0;
    o->elements = o->bytes / 8;
    allocate(o, fresh);
    o->then = o->now, o->thenb = o->nowb;
    for (int i = 0; i < SLOTS; i++) {
        o->slot[i].object = -1;
    }
    if (o->shadowed) {
        REGISTER_SHADOWED(o->now, NULL, o->bytes, o->nowb, NULL, NULL, o->bytes, o->elements);
    } else {
        REGISTER(o->now, NULL, NULL, o->bytes, o->elements);
    }
    events[recorded++] = (event_t){.what = BIRTH, .object = born++};
}

static void death(void) {
    int i = any_alive(0);
    if (i < 0) {
        return;
    }
    event_t *e = &events[recorded++];
    *e = (event_t){.what = DEATH, .object = i};
    for (int s = 0; s < SLOTS; s++) {
        e->was[s] = objects[i].slot[s];
        e->value[s] = *variable(i, s);
        e->valueb[s] = objects[i].shadowed ? *variableb(i, s) : NULL;
    }
    end(&objects[i]);
}

static void assign(void) {
    int holder = below(2) ? any_alive(1) : -1, i = below(holder < 0 ? ROOTS : SLOTS);
    void **p = variable(holder, i), **pb = variableb(holder, i);
    event_t *e = &events[recorded++];
    *e = (event_t){.what = ASSIGN, .object = holder, .index = i, .was = {*target(holder, i)}};
    e->value[0] = *p, e->valueb[0] = *pb;
    int to = any_alive(0);
    *p = *pb = NULL;
    *target(holder, i) = (target_t){.object = -1};
    if (below(5) && to >= 0) {
        object_t *o = &objects[to];
        int offset = below(3) ? below(o->bytes) : below(2) * o->bytes;
        *target(holder, i) = (target_t){.object = to, .offset = offset};
        *p = o->now + offset;
        *pb = o->shadowed ? o->nowb + offset : NULL;
    } else if (below(2)) { /* a copy, perhaps of a pointer to what has ended */
        int other = below(ROOTS);
        *target(holder, i) = root_target[other];
        *p = root[other], *pb = rootb[other];
    }
}

/* A variable has its value of the forward sweep again. */
static void restore(int holder, int i, target_t was, void *value, void *valueb, int forward_fresh) {
    void **p = variable(holder, i), **pb = variableb(holder, i);
    *p = value;
    if (was.object >= 0 && !objects[was.object].alive && !forward_fresh) {
        was.lost = 1;
    }
    *target(holder, i) = was;
    if (holder >= 0 && !objects[holder].shadowed) {
        ADMM_rebase(p);
        return;
    }
    *pb = valueb;
    switch (below(3)) {
    case 0:
        ADMM_rebase(p);
        ADMM_rebaseShadowed(NULL, pb);
        break;
    default:
        ADMM_rebaseShadowed(p, pb);
    }
}

static void check_variable(int holder, int i) {
    const target_t *t = target(holder, i);
    int adjoint = holder < 0 || objects[holder].shadowed;
    void *p = *variable(holder, i), *pb = adjoint ? *variableb(holder, i) : NULL;
    if (t->object < 0) {
        CHECK(p == NULL && pb == NULL);
    } else if (!t->lost) {
        const object_t *o = &objects[t->object];
        CHECK(p == (o->alive ? o->now : o->then) + t->offset);
        CHECK(!adjoint || pb == (o->shadowed ? (o->alive ? o->nowb : o->thenb) + t->offset : NULL));
    }
}

static void check_all(void) {
    for (int i = 0; i < ROOTS; i++) {
        check_variable(-1, i);
    }
    for (int o = 0; o < born; o++) {
        for (int i = 0; objects[o].alive && i < SLOTS; i++) {
            check_variable(o, i);
        }
    }
}

static void revive(const event_t *e, int fresh, int forward_fresh) {
    object_t *o = &objects[e->object];
    allocate(o, fresh);
    /* The pointer that was freed, if it is restored already, is set by the program itself. */
    void **done = NULL;
    for (int i = 0; o->shadowed && i < ROOTS; i++) {
        const target_t *t = &root_target[i];
        if (!done && t->object == e->object && !t->lost && t->offset == 0 && below(2)) {
            root[i] = o->now;
            rootb[i] = o->nowb;
            done = &rootb[i];
        }
    }
    if (o->shadowed) {
        REGISTER_SHADOWED(o->now, o->then, o->bytes, o->nowb, done, o->thenb, o->bytes, o->elements);
    } else {
        REGISTER(o->now, NULL, o->then, o->bytes, o->elements);
    }
    for (int s = 0; s < SLOTS; s++) {
        restore(e->object, s, e->was[s], e->value[s], e->valueb[s], forward_fresh);
    }
}

static void lose_what_is_away(target_t *t) { t->lost |= t->object >= 0 && !objects[t->object].alive; }

static void program(int length, int forward_fresh, int reverse_fresh) {
    born = recorded = 0;
    memset(root, 0, sizeof root), memset(rootb, 0, sizeof rootb);
    for (int i = 0; i < ROOTS; i++) {
        root_target[i] = (target_t){.object = -1};
    }
    while (recorded < length) {
        int what = below(8);
        if (what < 2 && born < OBJECTS) {
            birth(forward_fresh);
        } else if (what == 2) {
            death();
        } else {
            assign();
        }
    }
    /* A pointer to what has ended that is never restored has the value of the forward sweep and waits for nothing. */
    for (int i = 0; i < ROOTS; i++) {
        lose_what_is_away(&root_target[i]);
    }
    for (int o = 0; o < born; o++) {
        for (int i = 0; i < SLOTS; i++) {
            lose_what_is_away(&objects[o].slot[i]);
        }
    }
    while (recorded-- > 0) {
        const event_t *e = &events[recorded];
        switch (e->what) {
        case ASSIGN:
            restore(e->object, e->index, e->was[0], e->value[0], e->valueb[0], forward_fresh);
            break;
        case DEATH:
            revive(e, reverse_fresh, forward_fresh);
            break;
        case BIRTH:
            end(&objects[e->object]);
        }
        check_all();
    }
}

static void random_programs(int programs, uint64_t seed) {
    arena = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(arena != MAP_FAILED);
    memset(arena, DEAD, ROOM);
    for (int i = 0; i < programs; i++) {
        char text[100];
        snprintf(text, sizeof text, "program %d of seed %llu", i, (unsigned long long)seed);
        context = text;
        state = (seed + (uint64_t)i) * 0x9E3779B97F4A7C15u | 1;
        for (int j = 0; j < 10; j++) {
            below(2);
        }
        gap = 1; /* touching blocks: see edges */
        program(20 + below(EVENTS - 20), i & 1, i >> 1 & 1);
        memset(used, 0, sizeof used);
        memset(arena, DEAD, (size_t)highest * UNIT);
        next_fresh = highest = 0;
    }
}

/* ---- edges ---- */

static char *const FAR = (char *)0x100000000000, *const FAR_B = (char *)0x200000000000;
/* Not on the stack: they may still wait when a function returns. */
static void *p, *pb, *q, *qb, *first, *early;

static void sizes_beyond_two_gib(void) {
    const struct {
        int elements, bytes;
    } cases[] = {{300000000, 8}, {600000000, 8}, {536870912, 8}, {2000000001, 16}, {2147483647, 1}, {1, 64}, {7, 24}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n = cases[i].elements, got = 0;
        int64_t bytes = (int64_t)n * cases[i].bytes;
        p = FAR + bytes - 1, pb = FAR_B + bytes - 1;
        REGISTER_SHADOWED(FAR + 64, FAR, SIZE(bytes), FAR_B + 640, NULL, FAR_B, SIZE(bytes), n);
        ADMM_rebaseShadowed(&p, &pb);
        CHECK(p == FAR + 64 + bytes - 1 && pb == FAR_B + 640 + bytes - 1);
        ADMM_unregisterShadowed(FAR + 64, FAR_B + 640, &got);
        CHECK(got == n);
        REGISTER(FAR + 64, NULL, FAR, SIZE(bytes), n);
        p = FAR + bytes - 1;
        ADMM_rebase(&p);
        CHECK(p == FAR + 64 + bytes - 1);
        ADMM_unregister(FAR + 64, &got);
        adtape_kit_admm_register_shadowed(FAR, FAR + 1, 8 * bytes, FAR_B, NULL, FAR_B + 1, 8 * bytes, n);
        pb = FAR_B + 8 * bytes;
        ADMM_rebaseShadowed(NULL, &pb);
        CHECK(pb == FAR_B + 8 * bytes - 1);
        ADMM_unregister(FAR, &got);
        adtape_kit_admm2020_register_shadowed_long(FAR, FAR + 1, 8 * bytes, FAR_B, FAR_B + 1, 8 * bytes, n);
        ADMM_unregister(FAR, &got);
        adtape_kit_admm2020_register_shadowed(FAR, FAR + 1, (int)bytes, FAR_B, FAR_B + 1, (int)bytes, n);
        ADMM_unregister(FAR, &got);
        adtape_kit_admm_register(FAR, NULL, FAR + 1, 8 * bytes, n);
        ADMM_unregister(FAR, &got);
        adtape_kit_admm2020_register_long(FAR, FAR + 1, 8 * bytes, n);
        ADMM_unregister(FAR, &got);
        adtape_kit_admm2020_register(FAR, FAR + 1, (int)bytes, n);
        p = FAR + bytes;
        ADMM_rebase(&p);
        CHECK(p == FAR + bytes - 1);
        ADMM_unregister(FAR, &got);
        CHECK(got == n);
    }
}

/* Blocks of 64 bytes that touch: a is at 0, b at 64; their adjoints do not. */
static void ends_that_touch(void) {
    char *a = FAR + 4096, *ab = FAR_B + 4096, *b = FAR + 8192, *bb = FAR_B + 8192;
    int n;
    first = FAR + 64;
    ADMM_rebase(&first);
    REGISTER_SHADOWED(a, FAR, 64, ab, NULL, FAR_B, 64, 8);
    CHECK(first == a + 64); /* for now */
    REGISTER_SHADOWED(b, FAR + 64, 64, bb, NULL, FAR_B + 128, 64, 8);
    CHECK(first == b);
    p = FAR + 64, pb = FAR_B + 64; /* the end of a: the adjoint tells */
    ADMM_rebaseShadowed(&p, &pb);
    CHECK(p == a + 64 && pb == ab + 64);
    p = FAR + 64, pb = FAR_B + 128;
    ADMM_rebaseShadowed(&p, &pb);
    CHECK(p == b && pb == bb);
    p = FAR + 64;
    ADMM_rebase(&p); /* nothing tells: what begins there */
    CHECK(p == b);
    p = FAR + 128;
    ADMM_rebase(&p);
    CHECK(p == b + 64);
    ADMM_unregisterShadowed(b, bb, &n);
    q = FAR + 64, early = FAR + 128;
    ADMM_rebase(&q);
    CHECK(q == a + 64); /* for now */
    ADMM_rebase(&early);
    CHECK(early == FAR + 128);
    REGISTER_SHADOWED(b, FAR + 64, 64, bb, NULL, FAR_B + 128, 64, 8);
    CHECK(q == b && early == b + 64);
    ADMM_unregisterShadowed(b, bb, &n);
    ADMM_unregisterShadowed(a, ab, &n);
    /* No bytes, an address of its own. */
    REGISTER(a, NULL, FAR, 0, 0);
    p = FAR;
    ADMM_rebase(&p);
    CHECK(p == a);
    ADMM_unregister(a, &n);
}

static void waiting_pointers(void) {
    static void *inside[4], *shadow[4];
    int n;
    /* An address that is used again while a variable waits for it, by another variable and block. */
    p = FAR + 8, pb = FAR_B + 8, q = FAR, qb = FAR_B;
    ADMM_rebaseShadowed(&p, &pb);
    ADMM_rebaseShadowed(&q, &qb);
    q = FAR + 512, qb = FAR_B + 512; /* the program sets it itself, to what is registered now */
    REGISTER_SHADOWED(q, FAR, 64, qb, &qb, FAR_B, 64, 8);
    CHECK(q == FAR + 512 && qb == FAR_B + 512 && p == FAR + 520 && pb == FAR_B + 520);
    ADMM_unregisterShadowed(q, qb, &n);
    REGISTER_SHADOWED(FAR + 1024, FAR + 512, 64, FAR_B + 1024, NULL, FAR_B + 512, 64, 8);
    CHECK(q == FAR + 512 && p == FAR + 520); /* they wait no more */
    ADMM_unregisterShadowed(FAR + 1024, FAR_B + 1024, &n);
    /* A block is back where a variable that is set by the program already points to. */
    p = FAR;
    ADMM_rebase(&p);
    p = FAR + 8;
    REGISTER(FAR + 8, &p, FAR, 64, 8);
    CHECK(p == FAR + 8);
    ADMM_unregister(FAR + 8, &n);
    /* A block is back where a variable that waits for it points already; with the calls of 2020 the library cannot know
     * that. */
    const int by = ARGUMENTS == 5 ? 8 : 24;
    pb = FAR_B + 8, p = FAR + 8;
    ADMM_rebaseShadowed(NULL, &pb);
    ADMM_rebase(&p);
    p = FAR + by, pb = FAR_B + by;
    REGISTER_SHADOWED(NULL, NULL, 64, pb, &pb, FAR_B, 64, 8);
    REGISTER(p, &p, FAR, 64, 8);
    CHECK(p == FAR + by && pb == FAR_B + by);
    ADMM_unregisterShadowed(NULL, pb, &n);
    ADMM_unregister(p, &n);
    /* Two addresses, one after the other, by one variable. */
    p = FAR;
    ADMM_rebase(&p);
    p = FAR + 128;
    ADMM_rebase(&p);
    REGISTER(FAR + 256, NULL, FAR, 64, 8);
    CHECK(p == FAR + 128);
    REGISTER(FAR + 512, NULL, FAR + 128, 64, 8);
    CHECK(p == FAR + 512);
    p = NULL; /* NULL never waits */
    ADMM_rebase(&p);
    ADMM_rebaseShadowed(NULL, &p);
    ADMM_rebaseShadowed(&p, NULL);
    CHECK(p == NULL);
    ADMM_unregister(FAR + 256, &n);
    ADMM_unregister(FAR + 512, &n);
    /* Variables in a block that ends are left alone, also if their adjoints lie elsewhere. */
    REGISTER_SHADOWED(inside, NULL, sizeof inside, shadow, NULL, NULL, sizeof shadow, 4);
    for (int i = 0; i < 4; i++) {
        inside[i] = FAR + 16 * i, shadow[i] = FAR_B + 16 * i;
        ADMM_rebaseShadowed(&inside[i], &shadow[i]);
    }
    ADMM_rebaseShadowed(NULL, &shadow[0]);
    ADMM_unregisterShadowed(inside, shadow, &n);
    CHECK(n == 4);
    REGISTER_SHADOWED(FAR + 512, FAR, 64, FAR_B + 512, NULL, FAR_B, 64, 8);
    for (int i = 0; i < 4; i++) {
        CHECK(inside[i] == FAR + 16 * i && shadow[i] == FAR_B + 16 * i);
    }
    ADMM_unregisterShadowed(NULL, FAR_B + 512, &n);
    CHECK(n == 8);
}

static void names_before_2020(void) {
    int n;
    void *alone = FAR + 4096 + 8;
    p = FAR + 8, pb = FAR_B + 8;
    ADMM_RebaseShadowed(&p, &pb);
    ADMM_Rebase(&alone);
    ADMM_RegisterShadowed(FAR + 512, FAR, 64, FAR_B + 512, FAR_B, 64, 8);
    ADMM_Register(FAR + 1024, FAR + 4096, 64, 9);
    CHECK(p == FAR + 520 && pb == FAR_B + 520 && alone == FAR + 1032);
    ADMM_UnregisterShadowed(FAR + 512, FAR_B + 512, &n);
    CHECK(n == 8);
    ADMM_Unregister(FAR + 1024, &n);
    CHECK(n == 9);
}

static void edges(void) {
    sizes_beyond_two_gib();
    ends_that_touch();
    waiting_pointers();
    names_before_2020();
    static void *waits = (void *)0x5000, *waitsb = (void *)0x6000;
    int n = -7;
    ADMM_rebaseShadowed(&waits, &waitsb);
    ADMM_unregister(&n, &n); /* unknown: nothing happens */
    CHECK(n == -7);
    REGISTER(FAR, NULL, NULL, 80, 10);
    REGISTER_SHADOWED(FAR + 160, FAR, 80, FAR_B + 160, NULL, FAR_B, 88, 10);
    ADMM_statistics();
}

/* ---- cost ---- */

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cost(int chunks) {
    double best = 1e9;
    static char *block[30000];
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < chunks; i++) {
            block[i] = FAR + 128 * (int64_t)i;
        }
        for (int i = chunks - 1; i > 0; i--) {
            int j = below(i + 1);
            char *other = block[i];
            block[i] = block[j], block[j] = other;
        }
        double start = seconds();
        for (int i = 0; i < chunks; i++) {
            REGISTER_SHADOWED(block[i], NULL, 64, block[i] + (FAR_B - FAR), NULL, NULL, 64, 8);
        }
        for (int i = 0; i < chunks; i++) {
            int n;
            ADMM_unregisterShadowed(block[i], block[i] + (FAR_B - FAR), &n);
        }
        double time = seconds() - start;
        best = time < best ? time : best;
    }
    return best;
}

/* ---- threads ---- */

static void *work(void *argument) {
    int thread = *(int *)argument;
    for (int round = 0; round < 20000; round++) {
        char *old = FAR + ((int64_t)thread << 32) + 64 * (round % 50), *now = old + (1 << 20), *nowb = now + (1 << 20);
        char *oldb = nowb + (1 << 20);
        void *p = old + 8, *pb = oldb + 8;
        int n;
        if (round & 1) {
            ADMM_rebaseShadowed(&p, &pb);
        }
        REGISTER_SHADOWED(now, old, 32, nowb, NULL, oldb, 32, round);
        if (!(round & 1)) {
            ADMM_rebaseShadowed(&p, &pb);
        }
        CHECK(p == now + 8 && pb == nowb + 8);
        ADMM_unregisterShadowed(now, nowb, &n);
        CHECK(n == round);
    }
    return NULL;
}

static void threads(void) {
    pthread_t id[4];
    int number[4];
    for (int i = 0; i < 4; i++) {
        number[i] = i;
        CHECK(pthread_create(&id[i], NULL, work, &number[i]) == 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(id[i], NULL);
    }
    ADMM_statistics();
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    state = 88172645463325252u;
    if (strcmp(what, "random") == 0 && argc > 3) {
        random_programs(atoi(argv[2]), strtoull(argv[3], NULL, 10));
    } else if (strcmp(what, "edges") == 0) {
        edges();
    } else if (strcmp(what, "cost") == 0) {
        double few = cost(3000), many = cost(30000);
        printf("seconds %.4f ratio %.2f\n", many, many / 10 / few);
    } else if (strcmp(what, "threads") == 0) {
        threads();
    } else {
        fprintf(stderr, "see the head of admm.c\n");
        return 2;
    }
    return 0;
}
