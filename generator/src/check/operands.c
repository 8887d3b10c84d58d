/* The check at run time: a file of its own, so that nothing in it meets names of the program.
 *
 * Operands: the forward sweep notes them on a stack, the reverse sweep takes them off and compares.
 *
 * Trials: a call of a head is first made in children of the process, which all begin with the caller's memory:
 *   1 both sweeps, to learn which words have an adjoint, where, and which pointers in memory are read;
 *   2 both sweeps with weights as adjoints of the outputs: the product with the directions of the inputs;
 *   3 the tangent in these directions: the product with the weights;
 *   4 the function where it is, for its results;
 *   5 to 8 the function at inputs that are moved along the directions, for differences with two steps;
 *   9 to 12 the same, but only those inputs move whose adjoint is 0: such a 0 may be one that was lost;
 *   16 a copy of the function that says which addresses it reaches (watch.c).
 * Rules: calls of functions whose derivative is given are made in children, too (rules.c, derivatives.c).
 */
#define _GNU_SOURCE
#include <adtape.h>
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* declarations */

/* ---- messages --------------------------------------------------------------------------------------------------- */

static struct {
    uint32_t site;
    const char *where, *what;
    int is_said;
} sites[] = {
/* sites */    {0, "", "", 0},
};
/* left_out: comparisons that could not be made. */
static unsigned long compared, wrong, calls, left_out;
static int is_child;

static void say_inputs_not_met(void);

/* What the driver ends with tells whether everything was compared, unless it has an error of its own to tell. */
static void report(int status) {
    char rest[64] = "";
    if (is_child) {
        return;
    }
    fflush(stdout);
    if (calls == 0) {
        fprintf(stderr, "check: the driver called no adjoint\n");
        wrong++;
    }
    say_inputs_not_met();
    if (left_out != 0) {
        snprintf(rest, sizeof rest, "; %lu comparison%s could not be made", left_out, left_out == 1 ? "" : "s");
    }
    fprintf(stderr, "check: %lu operands compared, %lu wrong%s\n", compared, wrong, rest);
    if (wrong != 0) {
        _Exit(4);
    }
    if (left_out != 0 && status == 0) {
        _Exit(5);
    }
}

#ifdef __GLIBC__
static void ended(int status, void *nothing) {
    (void)nothing;
    report(status);
}
__attribute__((constructor)) static void begin(void) { on_exit(ended, NULL); }
#else
static void ended(void) { report(0); }
__attribute__((constructor)) static void begin(void) { atexit(ended); }
#endif

/* Says what could not be compared, and why. */
__attribute__((format(printf, 3, 4))) static void leave_out(const char *head, const char *with, const char *why, ...) {
    va_list arguments;
    if (left_out++ < 20) {
        fprintf(stderr, "check: %s: not compared%s: ", head, with);
        va_start(arguments, why);
        vfprintf(stderr, why, arguments);
        va_end(arguments);
        fputc('\n', stderr);
    }
}

static int may_say(void) { return wrong++ < 20; }

static void fail(uint32_t site, const char *why) {
    size_t row = 0;
    while (row + 1 < sizeof sites / sizeof *sites && sites[row].site != site) {
        row++;
    }
    /* Once for each operand is enough. */
    if (may_say() && !sites[row].is_said) {
        sites[row].is_said = 1;
        fprintf(stderr, "check: %s: '%s' %s\n", sites[row].where, sites[row].what, why);
    }
}

static void *room(void *old, size_t bytes) {
    void *block = realloc(old, bytes);
    if (block == NULL) {
        fprintf(stderr, "check: no memory for %zu bytes\n", bytes);
        abort();
    }
    return block;
}

/* ---- operands --------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t site;
    unsigned char bytes[16];
} operand;
static operand *stack;
static size_t depth, stack_room;

void @_note(uint32_t site, const void *value, size_t bytes) {
    if (depth == stack_room) {
        stack_room = stack_room == 0 ? 1024 : 2 * stack_room;
        stack = room(stack, stack_room * sizeof *stack);
    }
    memset(&stack[depth], 0, sizeof *stack);
    stack[depth].site = site;
    memcpy(stack[depth].bytes, value, bytes);
    depth++;
}

void @_compare(uint32_t site, const void *value, size_t bytes) {
    compared++;
    if (depth == 0) {
        fail(site, "is read, but the forward sweep noted no more operands");
        return;
    }
    depth--;
    if (stack[depth].site != site) {
        fail(site, "is read where the forward sweep noted another operand");
    } else if (memcmp(stack[depth].bytes, value, bytes) != 0) {
        fail(site, "has not the value that it had in the forward sweep");
    }
}

size_t @_noted(void) { return depth; }

/* FNV-1a of the operands from one on. */
static uint64_t hash(size_t since) {
    uint64_t sum = 14695981039346656037u;
    for (size_t at = since; at < depth; at++) {
        unsigned char bytes[sizeof stack->site + sizeof stack->bytes];
        memcpy(bytes, &stack[at].site, sizeof stack->site);
        memcpy(bytes + sizeof stack->site, stack[at].bytes, sizeof stack->bytes);
        for (size_t k = 0; k < sizeof bytes; k++) {
            sum = (sum ^ bytes[k]) * 1099511628211u;
        }
    }
    return sum;
}

void @_rehearsed(size_t since) {
    const uint64_t sum = hash(since);
    depth = since;
    @_note(UINT32_MAX, &sum, sizeof sum);
}

void @_repeated(uint32_t site, size_t since) {
    const uint64_t sum = hash(since);
    compared++;
    if (since == 0 || since > depth || stack[since - 1].site != UINT32_MAX) {
        fail(site, "is run again, but the forward sweep left no hash of its operands");
        return;
    }
    if (memcmp(stack[since - 1].bytes, &sum, sizeof sum) != 0) {
        fail(site, "has other operands than in the forward sweep when it is run again");
    }
    depth--;
    memmove(&stack[since - 1], &stack[since], (depth - since + 1) * sizeof *stack);
}
