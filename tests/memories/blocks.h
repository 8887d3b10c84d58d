/* blocks.h: blocks of memory and pointers to them in both sweeps, so that one program runs over different memory.
 *
 *   over     MAPS      malloc and free; pointers are translated by the maps of addresses (Alg. 2)
 *            HEAP      the stable heap; pointers are the addresses that they were
 *            IDENTITY  malloc and free, and pointers are taken for the addresses that they were: wrong
 *
 * Under maps and identity an allocator decides what malloc does:
 *
 *   reuse    an address that is freed is given out again at once, in both sweeps
 *   fresh    so it is in the forward sweep; the reverse sweep never gets an address that was used before
 *   system   what the system's does
 *   kind     blocks come back where they were, as it happens: here even an identity map is right
 *
 * Each of birth, death, rebirth, unborn is what generated code does around one line of Alg. 2. */
#ifndef ADTAPE_BLOCKS_H
#define ADTAPE_BLOCKS_H

#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include <sys/mman.h>

#include "../../examples/common/example.h"

static enum { REUSE, FRESH, SYSTEM, KIND } policy_;
static enum { MAPS, HEAP, IDENTITY } over_;
static uint64_t reborn_, moved_; /* blocks that came back, and of them those that lie elsewhere */

/* ---- the allocator -------------------------------------------------------------------------------- */

enum { SIZES_ = 64 };
typedef struct {
    size_t bytes; /* of the block behind it */
    void *next;   /* the free one below it in its list */
} head_;
static char *arena_, *arena_end_;
static struct {
    size_t bytes;
    void *free; /* the block that was freed last */
} sizes_[SIZES_];

static inline head_ *head_of_(void *block) { return (head_ *)block - 1; }

static inline void **free_list_(size_t bytes) {
    int i = 0;
    while (i < SIZES_ && sizes_[i].bytes != 0 && sizes_[i].bytes != bytes) {
        i++;
    }
    if (i == SIZES_) {
        fprintf(stderr, "blocks of more than %d sizes\n", SIZES_);
        exit(2);
    }
    sizes_[i].bytes = bytes;
    return &sizes_[i].free;
}

static inline void *take(size_t bytes) {
    void **list, *block;
    bytes = bytes < 16 ? 16 : (bytes + 15) / 16 * 16;
    if (policy_ == SYSTEM) {
        block = malloc(bytes);
        if (block == NULL) {
            exit(2);
        }
        return block;
    }
    list = free_list_(bytes);
    if (*list != NULL) {
        block = *list;
        *list = head_of_(block)->next;
        return block;
    }
    if (arena_ == NULL || (size_t)(arena_end_ - arena_) < bytes + sizeof(head_)) {
        const size_t reserve = (size_t)16 << 30;
        arena_ = mmap(NULL, reserve, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena_ == MAP_FAILED) {
            exit(2);
        }
        arena_end_ = arena_ + reserve;
    }
    block = arena_ + sizeof(head_);
    head_of_(block)->bytes = bytes;
    arena_ += sizeof(head_) + bytes;
    return block;
}

static int reversing_;

/* What was in the block is lost at once: no number, and no address. */
static inline void give(void *block) {
    void **list;
    if (policy_ == SYSTEM) {
        free(block);
        return;
    }
    memset(block, 0xff, head_of_(block)->bytes);
    if (policy_ == FRESH && reversing_) {
        return; /* nobody gets this address again */
    }
    list = free_list_(head_of_(block)->bytes);
    head_of_(block)->next = *list;
    *list = block;
}

static inline void *take_adjoint_(size_t bytes) {
    return policy_ == KIND ? allocate(1, bytes) : memset(take(bytes), 0, bytes);
}
static inline void give_adjoint_(void *adjoint) { policy_ == KIND ? free(adjoint) : give(adjoint); }

/* ---- the forward sweep ---------------------------------------------------------------------------- */

/* Line 10. The block is zero. */
static inline void *birth(adtape_t *t, size_t bytes, const char *label) {
    void *block;
    if (over_ == HEAP) {
        return adtape_heap_calloc(adtape_heap_self(), t, 1, (int64_t)bytes);
    }
    block = memset(take(bytes), 0, bytes);
    adtape_live_add(NULL, block, bytes, ADTAPE_KIND_HEAP, label);
    return block;
}

/* Line 13. What is in the block and needed was pushed before. */
static inline void death(adtape_t *t, void *block) {
    if (over_ == HEAP) {
        adtape_heap_free(adtape_heap_self(), t, block);
        return;
    }
    adtape_live_end(t, NULL, block);
    give(block);
}

/* Line 18. */
static inline void push_pointer(adtape_t *t, void *p) {
    if (over_ != MAPS) {
        adtape_push_opaque(t, p);
    }
    if (over_ != HEAP) {
        adtape_push_pointer(t, NULL, p);
    }
}

/* Line 18*. */
static inline void push_pair(adtape_t *t, adtape_pair_t pair) {
    if (over_ != MAPS) {
        adtape_push_opaque(t, pair.base);
        adtape_push_i64(t, pair.offset);
    }
    if (over_ != HEAP) {
        adtape_push_pair(t, NULL, pair.base, pair.offset);
    }
}

/* ---- the reverse sweep ---------------------------------------------------------------------------- */

static inline void *adjoint_of(void *block) {
    adtape_range_t range;
    if (over_ == HEAP) {
        return adtape_heap_adjoint(adtape_heap_self(), block);
    }
    expect_ok(adtape_live_find(NULL, block, &range));
    return range.adjoint_base;
}

/* The reversal point: what is alive gets an adjoint. */
static inline void begin_reverse(void) {
    adtape_range_t *ranges;
    int64_t count;
    if (over_ == HEAP) {
        expect_ok(adtape_heap_begin_reverse(adtape_heap_self()));
        return;
    }
    adtape_live_begin_reverse(NULL);
    reversing_ = 1;
    memset(sizes_, 0, policy_ == FRESH ? sizeof sizes_ : 0);
    expect_ok(adtape_live_list(NULL, NULL, 0, &count));
    ranges = allocate(count + 1, sizeof *ranges);
    expect_ok(adtape_live_list(NULL, ranges, count, &count));
    for (int64_t i = 0; i < count; i++) {
        if (ranges[i].kind == ADTAPE_KIND_HEAP) {
            adtape_live_set_adjoint(NULL, ranges[i].base, take_adjoint_(ranges[i].bytes), ranges[i].bytes);
        }
    }
    free(ranges);
}

/* Line 14: the block that died comes back, with an adjoint of zeros. */
static inline void *rebirth(adtape_t *t, void **adjoint) {
    adtape_range_t range;
    void *block;
    reborn_++;
    if (over_ == HEAP) {
        block = adtape_heap_undo_free(adtape_heap_self(), t);
        *adjoint = adjoint_of(block);
        return block;
    }
    adtape_pop_range(t, NULL, &range);
    *adjoint = take_adjoint_(range.bytes); /* first, so that it gets the block's old address */
    block = take(range.bytes);
    adtape_rebase_add(NULL, &range, block, *adjoint, range.bytes);
    moved_ += block != range.base;
    return block;
}

/* Line 11: the block whose birth is reversed, the last one of those that are not. */
static inline void unborn(adtape_t *t, void *block) {
    if (over_ == HEAP) {
        adtape_heap_undo_alloc(adtape_heap_self(), t);
        return;
    }
    give_adjoint_(adjoint_of(block));
    adtape_rebase_remove(NULL, block);
    give(block);
}

/* Line 20: a pointer variable and its adjoint, which points to the same place in the adjoint of the block. */
static inline void pop_pointer(adtape_t *t, void **p, void **p_adjoint) {
    if (over_ == HEAP) {
        adtape_pop_opaque(t, p);
        *p_adjoint = adtape_self_adjoint(*p);
        return;
    }
    adtape_pop_pointer(t, NULL, over_ == MAPS ? p : NULL, p_adjoint);
    if (over_ == IDENTITY) {
        adtape_pop_opaque(t, p);
    }
}

/* Line 20*. */
static inline void pop_pair(adtape_t *t, adtape_pair_t *pair, void **p, void **p_adjoint) {
    adtape_pair_t now;
    if (over_ != HEAP) {
        adtape_pop_pair(t, NULL, pair, p, p_adjoint);
    }
    if (over_ != MAPS) {
        adtape_pop_i64(t, &now.offset);
        adtape_pop_opaque(t, &now.base);
        *pair = now;
        *p = (void *)((uintptr_t)now.base + (uintptr_t)now.offset);
    }
    if (over_ == HEAP) {
        *p_adjoint = adtape_heap_adjoint(adtape_heap_self(), *p);
    }
}

/* ---- around it ------------------------------------------------------------------------------------ */

/* Takes the words above off the end of the arguments; without them, maps and reuse. */
static inline int choose_memory(int argc, char **argv) {
    static const char *const names[] = {"reuse", "fresh", "system", "kind"};
    for (int known = 1; known && argc > 1; argc -= known) {
        known = strcmp(argv[argc - 1], "identity") == 0;
        over_ = known ? IDENTITY : over_;
        for (int i = 0; i < 4 && !known; i++) {
            known = strcmp(argv[argc - 1], names[i]) == 0;
            policy_ = known ? i : (int)policy_;
        }
    }
    return argc;
}

/* Both sweeps match. Blocks came back elsewhere, with fresh addresses all of them: code that takes an address of the
 * forward sweep for one of the reverse sweep is wrong here. */
static inline void check_blocks(adtape_t *t) {
    check_tape_empty("bytes on the tape after the adjoint", t);
    if (over_ == HEAP) {
        adtape_heap_stats_t stats;
        expect_ok(adtape_heap_stats(adtape_heap_self(), &stats));
        check_count("blocks left alive", stats.blocks, 0);
        report_count("blocks that came back", reborn_);
        expect_ok(adtape_heap_end_reverse(adtape_heap_self()));
    } else {
        adtape_live_stats_t stats;
        expect_ok(adtape_live_stats(NULL, &stats));
        check_count("ranges left alive", stats.ranges, 0);
        check_count("pointers left waiting", stats.waiting, 0);
        report_count("blocks that came back", reborn_);
        if (policy_ == FRESH) {
            check_count("of them elsewhere", moved_, reborn_);
        } else if (policy_ == REUSE) {
            check_count("some of them elsewhere", moved_ > 0, 1);
        }
    }
    reborn_ = moved_ = 0;
    reversing_ = 0;
}

/* A program of n inputs and one output, with its sweeps. */
typedef struct {
    double (*original)(int64_t n, const double *x);
    double (*forward_sweep)(adtape_t *t, int64_t n, const double *x);
    void (*adjoint)(adtape_t *t, int64_t n, const double *x, double *xb);
} program_t;

static inline void gradient_(const program_t *program, int64_t n, const double *x, double *xb) {
    adtape_t *t = adtape_self();
    const double value = program->forward_sweep(t, n, x), plain = program->original(n, x);
    check_same_bits("the forward sweep computes what the original computes", &value, &plain, 1);
    report_count("tape bytes", tape_bytes(t));
    program->adjoint(t, n, x, xb);
    check_blocks(t);
}

/* Against central differences of the original, with this step, in one direction. */
static inline void check_gradient(const program_t *program, int64_t n, const double *x, const double *xb, double step,
                                  double tolerance) {
    double *shifted = allocate(n, sizeof *shifted), y[2], product = 0.0, scale = 0.0;
    for (int sign = 0; sign < 2; sign++) {
        for (int64_t i = 0; i < n; i++) {
            shifted[i] = x[i] + (sign ? step : -step) * noise(i + 31);
        }
        y[sign] = program->original(n, shifted);
    }
    for (int64_t i = 0; i < n; i++) {
        product += xb[i] * noise(i + 31);
        scale += fabs(xb[i] * noise(i + 31));
    }
    check_close("the gradient against finite differences", product, (y[1] - y[0]) / (2 * step), scale, tolerance);
    free(shifted);
}

/* The gradient over maps, or with an identity map, which is the end of it; then over the stable heap, bit for bit. */
static inline void check_over_both(const program_t *program, int64_t n, const double *x, double step, double tolerance) {
    double *xb[2] = {allocate(n, sizeof **xb), allocate(n, sizeof **xb)};
    printf("-- over %s\n", over_ == MAPS ? "maps" : "an identity map");
    gradient_(program, n, x, xb[0]);
    check_gradient(program, n, x, xb[0], step, tolerance);
    if (over_ == MAPS) {
        over_ = HEAP;
        printf("-- over the stable heap\n");
        gradient_(program, n, x, xb[1]);
        check_same_bits("both gradients are equal bit for bit", xb[0], xb[1], n);
        over_ = MAPS;
    }
    free(xb[0]), free(xb[1]);
}

#endif
