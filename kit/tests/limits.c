/* Every push, pop and look of the kit at its edges: no values, one, very many, unaligned, NULL, nothing left.
 *
 *   limits errors    NULL, too much, nothing left: in child processes
 *   limits values    no values, one, unaligned
 *   limits large     arrays of 2^31 bytes and more; their tape takes 2 GiB of memory, the program itself 2 MiB
 *
 * Lengths are int, so that arrays of single bytes end at 2^31 - 1. */
#define _GNU_SOURCE
#include <limits.h>
#include <sys/mman.h>

#include "check.h"
#include "kinds.h"

/* What is being tested, for the children. */
static const kind_t *kind;
static const spelling_t *spelling;

static void check_this(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "%s, spelling %d: ", kind->name, (int)(spelling - kind->spelling));
        fail(what);
    }
}

static void for_all(int arrays_only, void (*test)(void)) {
    for (kind = kinds; kind < kinds + KINDS; kind++) {
        for (int i = 0; i < (int)(sizeof kind->spelling / sizeof *kind->spelling); i++) {
            spelling = &kind->spelling[i];
            if (spelling->push != NULL && (kind->is_array || !arrays_only)) {
                test();
            }
        }
    }
}

/* ---- errors -------------------------------------------------------------------------------------- */

enum { MOST = 64 };
static char values[MOST];

static int huge(void) { return kind->bytes == 1 ? INT_MAX : (int)((1LL << 31) / kind->bytes) + 1; }

static void null_push(void) { spelling->push(NULL, 2); }
static void null_pop(void) { spelling->push(values, 2); spelling->pop(NULL, 2); }
static void null_look(void) { spelling->push(values, 2); spelling->look(NULL, 2); }
static void empty_pop(void) { spelling->pop(values, 1); }
static void empty_look(void) { spelling->look(values, 1); }
static void huge_push(void) { setenv("ADTAPE_MEMORY_LIMIT", "1M", 1); spelling->push(values, huge()); }
static void huge_pop(void) { spelling->pop(values, huge()); }
static void huge_look(void) { spelling->look(values, huge()); }

static void errors(void) {
    char words[128];
    if (kind->bytes < 0) {
        snprintf(words, sizeof words, kind->bytes == -1 ? "one control bit" : "%d control bits", -kind->bytes);
    } else {
        snprintf(words, sizeof words, "the tape holds 0");
    }
    must_abort(empty_pop, words);
    if (spelling->look != NULL) {
        must_abort(empty_look, words);
    }
}

static void array_errors(void) {
    char words[128];
    must_abort(null_push, "the address of 2 values is NULL");
    must_abort(null_pop, "the address of 2 values is NULL");
    /* Lengths are multiplied in 64 bits: the message says by how much it is too large. */
    snprintf(words, sizeof words, "(%lld bytes)", (long long)huge() * kind->bytes);
    must_abort(huge_push, words);
    must_abort(huge_pop, words);
    if (spelling->look != NULL) {
        must_abort(null_look, "the address of 2 values is NULL");
        must_abort(huge_look, words);
    }
}

/* ---- no values ----------------------------------------------------------------------------------- */

/* Sections whose bounds cross have a length below zero; the kit moves nothing then. */
static void no_values(void) {
    static const int lengths[] = {0, -1, -1000, INT_MIN};
    char guard[MOST];
    memset(guard, 7, sizeof guard);
    pushReal8(2.5);
    for (int i = 0; i < 4; i++) {
        for (int null = 0; null < 2; null++) {
            char *x = null ? NULL : guard;
            spelling->push(x, lengths[i]);
            if (spelling->look != NULL) {
                spelling->look(x, lengths[i]);
            }
            spelling->pop(x, lengths[i]);
        }
    }
    for (int i = 0; i < MOST; i++) {
        check_this(guard[i] == 7, "a length of zero or below writes nothing");
    }
    double x = 0;
    check_this(adStack_getCurrentStackSize() == 8, "a length of zero or below moves nothing");
    popReal8(&x);
    check_this(x == 2.5, "what lay below is still there");
}

/* ---- one value, unaligned ------------------------------------------------------------------------ */

static void one_value(void) {
    const int bytes = kind->bytes < 0 ? (int)sizeof(int) : kind->bytes;
    for (int offset = 0; offset < 32; offset++) {
        char from[MOST] = {0}, to[MOST], looked[MOST];
        for (int i = 0; i < bytes; i++) {
            from[offset + i] = kind->bytes < 0 ? i == 0 : (char)(offset + 3 * i + 1);
        }
        memset(to, 0, sizeof to);
        memset(looked, 0, sizeof looked);
        pushCharacter('x'); /* what is on the tape is not aligned either */
        spelling->push(from + offset, 1);
        if (spelling->look != NULL) {
            spelling->look(looked + offset, 1);
            check_this(memcmp(from, looked, MOST) == 0, "one value looked at, and nothing beside it written");
        }
        spelling->pop(to + offset, 1);
        check_this(memcmp(from, to, MOST) == 0, "one value popped, and nothing beside it written");
    }
    for (int offset = 0; offset < 32; offset++) {
        char c = 0;
        popCharacter(&c);
        check_this(c == 'x', "what lay below is still there");
    }
    check_this(adStack_getCurrentStackSize() == 0, "nothing is left");
}

/* ---- large arrays -------------------------------------------------------------------------------- */

enum { PIECE = 1 << 20 };
static const size_t LARGE = (size_t)1 << 31;

/* Address space for arrays that begin in its first piece and end in its last. The two pieces at either end are memory of
 * their own, all between are one and the same. */
static char *folded(void) {
    const int file = memfd_create("piece", 0);
    const size_t bytes = LARGE + PIECE;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *memory = (char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    check(file >= 0 && memory != MAP_FAILED && ftruncate(file, PIECE) == 0, "address space for the large arrays");
    for (size_t at = 2 * PIECE; at < LARGE - PIECE; at += PIECE) {
        void *there = mmap(memory + at, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0);
        check(there == memory + at, "a piece of the large arrays");
    }
    close(file);
    return memory;
}

static uint64_t word(uint64_t seed, int place, size_t i) { return (seed * 3 + (uint64_t)place) * PIECE + i; }

/* The first and the last values, and a piece in the middle. */
static void fill(char *memory, char *x, size_t bytes, uint64_t seed) {
    char *const places[3] = {x, x + bytes - PIECE, memory + 2 * PIECE};
    for (int place = 0; place < 3; place++) {
        for (size_t i = 0; i < PIECE; i += 8) {
            const uint64_t w = word(seed, place, i);
            memcpy(places[place] + i, &w, 8);
        }
    }
}
static void check_filled(const char *memory, const char *x, size_t bytes, uint64_t seed) {
    const char *const places[3] = {x, x + bytes - PIECE, memory + 2 * PIECE};
    for (int place = 0; place < 3; place++) {
        for (size_t i = 0; i < PIECE; i += 8) {
            const uint64_t w = word(seed, place, i);
            check_this(memcmp(places[place] + i, &w, 8) == 0, "first, last or middle values of a large array");
        }
    }
}

/* The largest count, of single bytes, and 2^31 bytes and one value more. What the calls do with a product of count and
 * size, they do whatever the factors are; that all of them get it right is checked above. */
static void large(void) {
    static char *memory;
    static int done[33];
    const size_t bytes = (size_t)huge() * (size_t)kind->bytes;
    if (spelling->look == NULL || (kind->bytes != 1 && kind->bytes != 8) || done[kind->bytes]++ > 0) {
        return;
    }
    if (memory == NULL) {
        memory = folded();
    }
    char *x = memory + 3;
    fill(memory, x, bytes, 1);
    spelling->push(x, huge());
    check_this(adStack_getCurrentStackSize() == bytes, "every byte counts");
    fill(memory, x, bytes, 2);
    spelling->look(x, huge());
    check_filled(memory, x, bytes, 1);
    fill(memory, x, bytes, 3);
    spelling->pop(x, huge());
    check_filled(memory, x, bytes, 1);
    check_this(adStack_getCurrentStackSize() == 0, "nothing is left");
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    if (strcmp(part, "errors") == 0) {
        for_all(0, errors);
        for_all(1, array_errors);
    } else if (strcmp(part, "values") == 0) {
        for_all(1, no_values);
        for_all(0, one_value);
    } else if (strcmp(part, "large") == 0) {
        for_all(1, large);
    } else {
        fail("errors, values or large?");
    }
    return 0;
}
