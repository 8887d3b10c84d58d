/* Runs programs by request: reads requests from standard input, writes what each run left to standard output.
 *
 * A request: entry, mode, number of addresses, a fill-in (uint32 each), the seed of the result (double), the addresses
 * (object, offset, target: uint32 each), the objects, their shadows.
 * An answer: status, what the primal raised (uint32 each), bytes on the tape, wrong reads (uint64 each), result and its tangent, the
 * objects between the sweeps, at the end, their shadows at the end. Each run has a process of its own. Where the primal
 * raises nothing, whatever a derivative raises ends it. */
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64, TRAPPED = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW };

/* In fenv.h with _GNU_SOURCE, which would change what the programs see. */
int feenableexcept(int);

typedef struct {
    unsigned objects;
    const unsigned *bytes;
    void (*primal)(char **o, double *r);
    void (*tangent)(char **o, char **d, double *r);
    void (*adjoint)(char **o, char **b, double seed, double *r);
    void (*split)(char **o, char **b, double seed, double *r);
} entry_t;

static char *memory[MOST], *shadow[MOST];
static const entry_t *at;
static char *answer;
static size_t total;

static void keep(size_t part, char **from) {
    char *to = answer + 40 + part * total;
    for (unsigned k = 0; k < at->objects; k++) {
        memcpy(to, from[k], at->bytes[k]);
        to += at->bytes[k];
    }
}

static void between(void) {
    keep(0, memory);
}

/* The second tape: operands of adjoints as the forward sweep had them. */
static struct {
    uint32_t site;
    unsigned char bytes[16];
} noted[1 << 18];
static size_t depth;
static uint64_t wrong;

static void note(uint32_t site, const void *value, size_t bytes) {
    if (depth == sizeof noted / sizeof *noted) {
        abort();
    }
    memset(&noted[depth], 0, sizeof *noted);
    noted[depth].site = site;
    memcpy(noted[depth++].bytes, value, bytes);
}

static void compare(uint32_t site, const void *value, size_t bytes) {
    if (depth == 0 || noted[--depth].site != site || memcmp(noted[depth].bytes, value, bytes) != 0) {
        wrong++;
    }
}

#define WITNESS(suffix, type) \
    static inline void check_operands_note_##suffix(uint32_t site, type x) { note(site, &x, sizeof x); } \
    static inline void check_operands_compare_##suffix(uint32_t site, type x) { compare(site, &x, sizeof x); }
WITNESS(f32, float)
WITNESS(f64, double)
WITNESS(i64, int64_t)
/* A pass that is run again leaves a hash of its operands in the place of these, and compares it later. */
static size_t check_operands_noted(void) { return depth; }

static uint64_t hash_since(size_t since) {
    uint64_t sum = 14695981039346656037u;
    for (const unsigned char *at = (const unsigned char *)&noted[since]; at < (const unsigned char *)&noted[depth];) {
        sum = (sum ^ *at++) * 1099511628211u;
    }
    return sum;
}

static void check_operands_rehearsed(size_t since) {
    const uint64_t sum = hash_since(since);
    depth = since;
    note(UINT32_MAX, &sum, sizeof sum);
}

static void check_operands_repeated(uint32_t site, size_t since) {
    (void)site;
    const uint64_t sum = hash_since(since);
    if (since == 0 || noted[since - 1].site != UINT32_MAX || memcmp(noted[since - 1].bytes, &sum, sizeof sum) != 0) {
        wrong++;
        return;
    }
    depth--;
    memmove(&noted[since - 1], &noted[since], (depth - since + 1) * sizeof *noted);
}

#define check_operands_shadowed(place, shadow, bits) ((void)(place), (void)(shadow))
#define check_operands_allocated(block, bytes) (block)

/* ENTRIES */

static void take(void *to, size_t bytes) {
    if (fread(to, 1, bytes, stdin) != bytes) {
        exit(2);
    }
}

static void run(uint32_t mode, double seed) {
    double r[2] = {0, 0};
    uint64_t left = 0;
    adtape_stats_t stats;
    switch (mode) {
    case 0: {
        at->primal(memory, r);
        const uint32_t raised = (uint32_t)fetestexcept(TRAPPED);
        memcpy(answer + 4, &raised, 4);
        break;
    }
    case 1: at->tangent(memory, shadow, r); break;
    case 2: at->adjoint(memory, shadow, seed, r); break;
    default: at->split(memory, shadow, seed, r); break;
    }
    keep(1, memory);
    keep(2, shadow);
    if (adtape_stats(adtape_self(), &stats) == ADTAPE_STATUS_OK) {
        left = stats.bytes;
    }
    wrong += depth;
    memcpy(answer + 8, &left, 8);
    memcpy(answer + 16, &wrong, 8);
    memcpy(answer + 24, r, 16);
}

int main(void) {
    uint32_t head[4], raised = 0;
    answer = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (fread(head, 1, sizeof head, stdin) == sizeof head) {
        uint32_t links[MOST][4];
        double seed;
        int status = 0;
        at = &entries[head[0]];
        total = 0;
        take(&seed, sizeof seed);
        take(links, head[2] * sizeof *links);
        for (unsigned k = 0; k < at->objects; k++) {
            memory[k] = malloc(at->bytes[k]);
            take(memory[k], at->bytes[k]);
            total += at->bytes[k];
        }
        for (unsigned k = 0; k < at->objects; k++) {
            shadow[k] = malloc(at->bytes[k]);
            take(shadow[k], at->bytes[k]);
        }
        for (uint32_t k = 0; k < head[2]; k++) {
            const char *const to = memory[links[k][2]] + links[k][3], *const along = shadow[links[k][2]] + links[k][3];
            memcpy(memory[links[k][0]] + links[k][1], &to, sizeof to);
            memcpy(shadow[links[k][0]] + links[k][1], &along, sizeof along);
        }
        memset(answer, 0, 40 + 3 * total);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(10);
            if (head[1] != 0 && raised == 0) {
                feenableexcept(TRAPPED);
            }
            run(head[1], seed);
            fflush(stderr);
            _exit(0);
        }
        waitpid(child, &status, 0);
        memcpy(answer, &status, 4);
        if (head[1] == 0) {
            memcpy(&raised, answer + 4, 4);
        }
        fwrite(answer, 1, 40 + 3 * total, stdout);
        for (unsigned k = 0; k < at->objects; k++) {
            free(memory[k]);
            free(shadow[k]);
        }
    }
    return 0;
}
