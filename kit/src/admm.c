/* admm.c: where blocks of the forward sweep and their adjoints are now.
 *
 *   chunk      a block that is alive: where it is, where it was in the forward sweep ("then"), both also of its adjoint
 *   variable   a pointer that was restored with its value of the forward sweep, of the primal (side 0) or adjoint (1)
 *   wait       one or two variables whose block is not back: they keep their values until it is registered
 *
 *   register   forward   | p, now = then |
 *              reverse   | p', then = p  |   and what waits for an address in it is set
 *   rebase     v in [then, then + bytes]  ->  now + (v - then)
 *
 * The callers say neither which sweep they are in nor which object a pointer belongs to, and may pass an address of the
 * adjoint only. So the maps of the library, which know objects by number, do not apply. Addresses are all there is. */

#include "table.c"
#include "treap.c"

/* How the values of a pointer and its adjoint lie in a block, from worst to best: in none; the one in, the other not; one
 * past the end; in it. What a side does not have contradicts nothing. */
enum { ADMM_NONE, ADMM_ONE_SIDE, ADMM_AT_END, ADMM_INSIDE };

struct admm_chunk {
    struct slot now[2]; /* a key of 0: it has none */
    struct node then[2];
    int elements;
};

struct admm_wait {
    struct node variable[2]; /* by its own address; a key of 0: none */
    struct node awaited[2];  /* by the address of the forward sweep */
    uintptr_t held[2];       /* what the variables contain if the program has not changed them */
    int fit;                 /* not ADMM_INSIDE: beyond ADMM_NONE the variables are set, until a better block comes */
};

static struct {
    pthread_mutex_t lock;
    struct table now[2];
    struct treap then[2], variables, awaited[2];
    long registerings, unregisterings, unknown, rebases, chunks, peak_chunks, waiting, peak_waiting;
} admm = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void admm_no_memory(const void *site) {
    adtape_abi0_fail(ADTAPE_STATUS_OUT_OF_MEMORY, "no memory for the table of addresses (ADMM)", site);
    abort();
}

static void *admm_allocate(size_t bytes, const void *site) {
    void *memory = calloc(1, bytes);
    if (!memory) {
        admm_no_memory(site);
    }
    return memory;
}

/* Size in bytes of `elements` elements that was computed in 64 bits and passed in 32. The size of an element is the
 * small number e with elements * e = size (mod 2^32), if there is one: with elements = odd * 2^k it is determined up to
 * a multiple of 2^(32 - k). If there is none, the two have nothing to do with each other. */
static uint64_t admm_bytes(int size, int elements) {
    uint32_t low = (uint32_t)size, n = (uint32_t)elements;
    if (elements <= 0 || (low && low % n == 0)) {
        return low;
    }
    int k = __builtin_ctz(n);
    if (low & ((1u << k) - 1)) {
        return low;
    }
    uint32_t odd = n >> k, inverse = odd; /* of odd, to 3 bits; each step doubles them */
    for (int i = 0; i < 4; i++) {
        inverse *= 2 - odd * inverse;
    }
    uint64_t period = (uint64_t)1 << (32 - k);
    uint64_t element = (uint64_t)((low >> k) * inverse) & (period - 1);
    if (element == 0) {
        element = period; /* as with 2^29 elements of 8 bytes, whose size arrives as 0 */
    }
    return element <= 4096 ? element * n : low;
}

/* ---- variables that wait ---- */

static int admm_side(const struct node *variable) {
    return variable != &((struct admm_wait *)variable->owner)->variable[0];
}

static void *admm_load(uintptr_t variable) {
    void *value;
    memcpy(&value, (void *)variable, sizeof value);
    return value;
}

static void admm_store(uintptr_t variable, uintptr_t value) {
    memcpy((void *)variable, &value, sizeof value);
}

static void admm_drop(struct admm_wait *wait) {
    for (int side = 0; side < 2; side++) {
        treap_remove(&admm.variables, &wait->variable[side]);
        treap_remove(&admm.awaited[side], &wait->awaited[side]);
    }
    admm.waiting -= wait->fit == ADMM_NONE;
    free(wait);
}

/* The variable waits no more; one that was restored with it still does. */
static void admm_settle(struct node *variable) {
    struct admm_wait *wait = variable->owner;
    if (wait->variable[!admm_side(variable)].key) {
        treap_remove(&admm.variables, variable);
    } else {
        admm_drop(wait);
    }
}

static void admm_forget(const void *variable) {
    struct node *found;
    while (variable && (found = treap_at(&admm.variables, (uintptr_t)variable))) {
        admm_settle(found);
    }
}

static void admm_forget_inside(const struct slot *range) {
    struct node *found;
    while (range->key && (found = treap_from(&admm.variables, range->key, NULL)) && found->key < range->end) {
        admm_settle(found);
    }
}

/* ---- which block ---- */

/* As admm_fit for one side; negative: the value does not lie in the block. */
static int admm_fit_side(const struct admm_chunk *chunk, int side, uintptr_t value) {
    const struct node *then = &chunk->then[side];
    if (!value || !then->key) {
        return ADMM_NONE;
    }
    if (value < then->key || value > then->end) {
        return -1;
    }
    return value < then->end ? ADMM_INSIDE : ADMM_AT_END;
}

static int admm_fit(const struct admm_chunk *chunk, const uintptr_t value[2]) {
    int a = admm_fit_side(chunk, 0, value[0]), b = admm_fit_side(chunk, 1, value[1]), best = a > b ? a : b;
    if (a < 0 || b < 0) {
        return best == ADMM_INSIDE ? ADMM_ONE_SIDE : ADMM_NONE;
    }
    return best;
}

/* The block that the values fit best, the adjoint's rather than the primal's. */
static struct admm_chunk *admm_find(const uintptr_t value[2], int *fit) {
    struct admm_chunk *best = NULL;
    *fit = ADMM_NONE;
    for (int i = 0; i < 6 && *fit < ADMM_INSIDE; i++) {
        int side = !(i & 1), how = i >> 1; /* contains it, ends there, is empty there */
        if (value[side]) {
            struct node *found = tree_around(admm.then[side].root, value[side] - (how == 1), value[side] + (how == 0));
            int found_fit = found ? admm_fit(found->owner, value) : ADMM_NONE;
            if (found_fit > *fit) {
                best = found->owner;
                *fit = found_fit;
            }
        }
    }
    return best;
}

static uintptr_t admm_moved(const struct admm_chunk *chunk, int side, uintptr_t value) {
    int both = chunk->then[side].key && chunk->now[side].key;
    return both && value ? chunk->now[side].key + (value - chunk->then[side].key) : value;
}

/* ---- the operations, under the lock ---- */

/* The block is back: variables that wait for it are set, unless the program has given them another value. */
static void admm_arrive(const struct admm_chunk *chunk) {
    for (int side = 0; side < 2; side++) {
        const struct node *then = &chunk->then[side];
        struct node *next = then->key ? treap_from(&admm.awaited[side], then->key, NULL) : NULL;
        while (next && next->key <= then->end) {
            struct node *after = treap_from(&admm.awaited[side], 0, next);
            struct admm_wait *wait = next->owner;
            uintptr_t value[2] = {wait->awaited[0].key, wait->awaited[1].key};
            int fit = admm_fit(chunk, value);
            if (fit > wait->fit) {
                for (int i = 0; i < 2; i++) {
                    uintptr_t variable = wait->variable[i].key;
                    if (variable && (uintptr_t)admm_load(variable) == wait->held[i]) {
                        wait->held[i] = admm_moved(chunk, i, value[i]);
                        admm_store(variable, wait->held[i]);
                        admm.rebases += i == 0 || !wait->variable[0].key;
                    }
                }
                admm.waiting -= wait->fit == ADMM_NONE;
                wait->fit = fit;
                if (fit == ADMM_INSIDE) {
                    admm_drop(wait);
                }
            }
            next = after;
        }
    }
}

static void admm_register(void *const now[2], void *const then[2], const uint64_t bytes[2], void *done, int elements,
                          const void *site) {
    struct admm_chunk *chunk = admm_allocate(sizeof *chunk, site);
    int reverse = then[0] || then[1];
    chunk->elements = elements;
    pthread_mutex_lock(&admm.lock);
    for (int side = 0; side < 2; side++) {
        uintptr_t here = (uintptr_t)now[side], there = reverse ? (uintptr_t)then[side] : here;
        if (here) {
            if (!table_grow(&admm.now[side])) {
                admm_no_memory(site);
            }
            table_insert(&admm.now[side], &chunk->now[side], chunk, here, bytes[side]);
        }
        if (there) {
            treap_insert(&admm.then[side], &chunk->then[side], chunk, there, bytes[side]);
        }
    }
    admm.registerings++;
    if (++admm.chunks > admm.peak_chunks) {
        admm.peak_chunks = admm.chunks;
    }
    if (reverse) {
        struct node *assigned = done ? treap_at(&admm.variables, (uintptr_t)done) : NULL;
        if (assigned) { /* the program has set both itself */
            admm_drop(assigned->owner);
        }
        admm_arrive(chunk);
    }
    pthread_mutex_unlock(&admm.lock);
}

static void admm_unregister(void *base, void *adjoint_base, int *elements) {
    pthread_mutex_lock(&admm.lock);
    struct slot *found = table_at(&admm.now[1], (uintptr_t)adjoint_base);
    if (!found) {
        found = table_at(&admm.now[0], (uintptr_t)base);
    }
    admm.unregisterings++;
    if (found) {
        struct admm_chunk *chunk = found->owner;
        if (elements) {
            *elements = chunk->elements;
        }
        for (int side = 0; side < 2; side++) {
            admm_forget_inside(&chunk->now[side]);
            table_remove(&admm.now[side], &chunk->now[side]);
            treap_remove(&admm.then[side], &chunk->then[side]);
        }
        free(chunk);
        admm.chunks--;
    } else {
        admm.unknown++;
    }
    pthread_mutex_unlock(&admm.lock);
}

static void admm_wait_for(void **const variable[2], const uintptr_t value[2], int fit, const void *site) {
    struct admm_wait *wait = admm_allocate(sizeof *wait, site);
    wait->fit = fit;
    for (int side = 0; side < 2; side++) {
        if (value[side]) {
            wait->held[side] = (uintptr_t)admm_load((uintptr_t)variable[side]);
            treap_insert(&admm.variables, &wait->variable[side], wait, (uintptr_t)variable[side], 0);
            treap_insert(&admm.awaited[side], &wait->awaited[side], wait, value[side], 0);
        }
    }
    admm.waiting += fit == ADMM_NONE;
    if (admm.waiting > admm.peak_waiting) {
        admm.peak_waiting = admm.waiting;
    }
}

static void admm_rebase(void **const variable[2], const void *site) {
    uintptr_t value[2] = {0, 0};
    pthread_mutex_lock(&admm.lock);
    for (int side = 0; side < 2; side++) {
        if (variable[side]) {
            admm_forget(variable[side]);
            value[side] = (uintptr_t)admm_load((uintptr_t)variable[side]);
        }
    }
    int fit;
    struct admm_chunk *chunk = admm_find(value, &fit);
    for (int side = 0; chunk && side < 2; side++) {
        if (value[side]) {
            admm_store((uintptr_t)variable[side], admm_moved(chunk, side, value[side]));
        }
    }
    if ((value[0] || value[1]) && fit < ADMM_INSIDE) {
        admm_wait_for(variable, value, fit, site);
    }
    admm.rebases++;
    pthread_mutex_unlock(&admm.lock);
}

/* ---- entry points ---- */

#define ADMM_SHADOWED_SIZES {admm_bytes(size, elements), admm_bytes(adjoint_size, elements)}

KIT_API void adtape_kit_admm_register_shadowed(void *base, void *then, int64_t bytes, void *adjoint_base, void **done,
                                               void *adjoint_then, int64_t adjoint_bytes, int elements) {
    void *now[2] = {base, adjoint_base}, *old[2] = {then, adjoint_then};
    uint64_t sizes[2] = {bytes > 0 ? (uint64_t)bytes : 0, adjoint_bytes > 0 ? (uint64_t)adjoint_bytes : 0};
    admm_register(now, old, sizes, done, elements, KIT_SITE);
}
KIT_API void adtape_kit_admm_register(void *base, void **done, void *then, int64_t bytes, int elements) {
    void *now[2] = {base, NULL}, *old[2] = {then, NULL};
    uint64_t sizes[2] = {bytes > 0 ? (uint64_t)bytes : 0, 0};
    admm_register(now, old, sizes, done, elements, KIT_SITE);
}
KIT_API void adtape_kit_admm2020_register_shadowed_long(void *base, void *then, int64_t bytes, void *adjoint_base,
                                                        void *adjoint_then, int64_t adjoint_bytes, int elements) {
    adtape_kit_admm_register_shadowed(base, then, bytes, adjoint_base, NULL, adjoint_then, adjoint_bytes, elements);
}
KIT_API void adtape_kit_admm2020_register_long(void *base, void *then, int64_t bytes, int elements) {
    adtape_kit_admm_register(base, NULL, then, bytes, elements);
}
KIT_API void adtape_kit_admm2020_register_shadowed(void *base, void *then, int size, void *adjoint_base,
                                                   void *adjoint_then, int adjoint_size, int elements) {
    const uint64_t sizes[2] = ADMM_SHADOWED_SIZES;
    void *now[2] = {base, adjoint_base}, *old[2] = {then, adjoint_then};
    admm_register(now, old, sizes, NULL, elements, KIT_SITE);
}
KIT_API void adtape_kit_admm2020_register(void *base, void *then, int size, int elements) {
    adtape_kit_admm_register(base, NULL, then, (int64_t)admm_bytes(size, elements), elements);
}

#if defined(ADTAPE_KIT_ADMM2020)
#include "../adtape_kit_admm2020.c"
#else
/* With the arguments of 2020 a size stands where an address of the forward sweep is expected, at the first registration
 * of the forward sweep already, which has no such address. An int that lies below the program is no address. */
static void admm_refuse_2020(const void *then, const char *name, const void *site) {
    const uintptr_t x = (uintptr_t)then;
    if (x == 0 || x > INT32_MAX || x >= getauxval(AT_PHDR)) {
        return;
    }
    char message[400];
    snprintf(message, sizeof message,
             "%s finds %" PRIuPTR " where an address of the forward sweep should be: most likely a size, passed with the "
             "arguments of 2020 (4 and 7, not 5 and 8)\n  put -ladtape_kit_admm2020 before -ladtape_kit on the link line, "
             "compile anew with admm.h, or with -flto add -DADTAPE_KIT_ADMM2020",
             name, x);
    adtape_abi0_fail(ADTAPE_STATUS_BAD_ARGUMENT, message, site);
}

KIT_API void ADMM_registerShadowed(void *base, void *then, int size, void *adjoint_base, void **done,
                                   void *adjoint_then, int adjoint_size, int elements) {
    const uint64_t sizes[2] = ADMM_SHADOWED_SIZES;
    void *now[2] = {base, adjoint_base}, *old[2] = {then, adjoint_then};
    admm_refuse_2020(adjoint_then, "ADMM_registerShadowed", KIT_SITE);
    admm_register(now, old, sizes, done, elements, KIT_SITE);
}
KIT_API void ADMM_register(void *base, void **done, void *then, int size, int elements) {
    admm_refuse_2020(then, "ADMM_register", KIT_SITE);
    adtape_kit_admm_register(base, done, then, (int64_t)admm_bytes(size, elements), elements);
}
#endif

KIT_API void ADMM_unregisterShadowed(void *base, void *adjoint_base, int *elements) {
    admm_unregister(base, adjoint_base, elements);
}
KIT_API void ADMM_unregister(void *base, int *elements) {
    admm_unregister(base, NULL, elements);
}
KIT_API void ADMM_rebaseShadowed(void **pointer, void **adjoint_pointer) {
    void **const variables[2] = {pointer, adjoint_pointer};
    admm_rebase(variables, KIT_SITE);
}
KIT_API void ADMM_rebase(void **pointer) {
    void **const variables[2] = {pointer, NULL};
    admm_rebase(variables, KIT_SITE);
}

/* The names before 2020, with the arguments of 2020. */
#define ADMM_ALIAS(name) KIT_API __attribute__((alias(#name)))
ADMM_ALIAS(adtape_kit_admm2020_register_shadowed) void ADMM_RegisterShadowed(void *, void *, int, void *, void *, int, int);
ADMM_ALIAS(adtape_kit_admm2020_register) void ADMM_Register(void *base, void *then, int size, int elements);
ADMM_ALIAS(ADMM_unregisterShadowed) void ADMM_UnregisterShadowed(void *base, void *adjoint_base, int *elements);
ADMM_ALIAS(ADMM_unregister) void ADMM_Unregister(void *base, int *elements);
ADMM_ALIAS(ADMM_rebaseShadowed) void ADMM_RebaseShadowed(void **pointer, void **adjoint_pointer);
ADMM_ALIAS(ADMM_rebase) void ADMM_Rebase(void **pointer);

/* ---- what the kit prints if it is compiled with ADMM_COUNTS ---- */

static void admm_print_chunk(const struct admm_chunk *chunk) {
    const struct slot *now = chunk->now;
    printf("  (old:%#" PRIxPTR "=>)%#" PRIxPTR "+%" PRIuPTR, chunk->then[0].key, now[0].key, now[0].end - now[0].key);
    if (now[1].key) {
        printf("    Shadow: (old:%#" PRIxPTR "=>)%#" PRIxPTR "+%" PRIuPTR, chunk->then[1].key, now[1].key,
               now[1].end - now[1].key);
    }
    printf(" (%i elements)\n", chunk->elements);
}

KIT_API void ADMM_statistics(void) {
    pthread_mutex_lock(&admm.lock);
    printf("Registerings:%li, Unregisterings:%li, numberOfRebases:%li\n", admm.registerings, admm.unregisterings,
           admm.rebases);
    printf("chunks:%li[peak:%li] waiting:%li[peak:%li]\n", admm.chunks, admm.peak_chunks, admm.waiting,
           admm.peak_waiting);
    if (admm.unknown) {
        printf("unregistered, but not registered:%li\n", admm.unknown);
    }
    printf("CHUNKS LIST:\n");
    for (int side = 0; side < 2; side++) {
        for (struct node *n = treap_from(&admm.then[side], 0, NULL); n; n = treap_from(&admm.then[side], 0, n)) {
            if (side == 0 || !((struct admm_chunk *)n->owner)->then[0].key) {
                admm_print_chunk(n->owner);
            }
        }
    }
    printf("WAITING LIST:\n");
    for (struct node *n = treap_from(&admm.variables, 0, NULL); n; n = treap_from(&admm.variables, 0, n)) {
        const struct admm_wait *wait = n->owner;
        if (wait->fit == ADMM_NONE) {
            int side = admm_side(n);
            printf(" %s[%#" PRIxPTR "]->%#" PRIxPTR "\n", side ? "Shadow:" : "", n->key, wait->awaited[side].key);
        }
    }
    fflush(stdout);
    pthread_mutex_unlock(&admm.lock);
}
