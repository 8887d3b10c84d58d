/* blocks.h: blocks of memory in both sweeps, with an allocator that makes life hard for code that trusts addresses.
 *
 *   reuse  an address that is freed is given out again at once, in both sweeps
 *   fresh  so it is in the forward sweep; the reverse sweep never gets an address that was used before
 *   system what malloc does
 *
 * Each of birth, death, rebirth, unborn is what generated code does around one line of Alg. 2. */
#ifndef ADTAPE_BLOCKS_H
#define ADTAPE_BLOCKS_H

#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include <sys/mman.h>

#include "example.h"

static enum { REUSE, FRESH, SYSTEM } policy_;
static uint64_t reborn_, moved_; /* blocks that came back, and of them those that lie elsewhere */

/* ---- the allocator -------------------------------------------------------------------------------- */

enum { SIZES_ = 64, HEAD_ = 16 };
static char *arena_, *arena_end_;
static struct {
    size_t bytes;
    void *free; /* a list through the first word of each */
} sizes_[SIZES_];

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
        memcpy(list, block, sizeof *list);
        return block;
    }
    if (arena_ == NULL || (size_t)(arena_end_ - arena_) < bytes + HEAD_) {
        const size_t reserve = (size_t)16 << 30;
        arena_ = mmap(NULL, reserve, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena_ == MAP_FAILED) {
            exit(2);
        }
        arena_end_ = arena_ + reserve;
    }
    block = arena_ + HEAD_;
    memcpy(arena_, &bytes, sizeof bytes);
    arena_ += HEAD_ + bytes;
    return block;
}

static int reversing_;

static inline void give(void *block) {
    size_t bytes;
    void **list;
    if (policy_ == SYSTEM) {
        free(block);
        return;
    }
    if (policy_ == FRESH && reversing_) {
        return; /* nobody gets this address again */
    }
    memcpy(&bytes, (char *)block - HEAD_, sizeof bytes);
    list = free_list_(bytes);
    memcpy(block, list, sizeof *list);
    *list = block;
}

/* ---- the forward sweep ---------------------------------------------------------------------------- */

/* Line 10. The block is zero. */
static inline void *birth(size_t bytes, const char *label) {
    void *block = memset(take(bytes), 0, bytes);
    adtape_live_add(adtape_session_default(), block, bytes, ADTAPE_KIND_HEAP, label);
    return block;
}

/* Line 13. What is in the block and needed was pushed before. */
static inline void death(adtape_t *t, void *block) {
    adtape_live_end(t, adtape_session_default(), block);
    give(block);
}

/* ---- the reverse sweep ---------------------------------------------------------------------------- */

/* The reversal point: what is alive gets an adjoint. */
static inline void begin_reverse(void) {
    const adtape_session_t *s = adtape_session_default();
    adtape_range_t *ranges;
    int64_t count;
    adtape_begin_reverse(s);
    reversing_ = 1;
    memset(sizes_, 0, policy_ == FRESH ? sizeof sizes_ : 0);
    expect_ok(adtape_live_list(s, NULL, 0, &count));
    ranges = allocate(count + 1, sizeof *ranges);
    expect_ok(adtape_live_list(s, ranges, count, &count));
    for (int64_t i = 0; i < count; i++) {
        if (ranges[i].kind == ADTAPE_KIND_HEAP) {
            void *adjoint = memset(take(ranges[i].bytes), 0, ranges[i].bytes);
            adtape_live_adjoint(s, ranges[i].base, adjoint, ranges[i].bytes);
        }
    }
    free(ranges);
}

/* Line 14: the block that died comes back, with an adjoint of zeros. */
static inline void *rebirth(adtape_t *t, void **adjoint) {
    const adtape_session_t *s = adtape_session_default();
    adtape_range_t range;
    void *block;
    adtape_pop_range(t, s, &range);
    *adjoint = memset(take(range.bytes), 0, range.bytes); /* first, so that it gets the block's old address */
    block = take(range.bytes);
    adtape_rebase_add(s, &range, block, *adjoint, range.bytes);
    reborn_++;
    moved_ += block != range.base;
    return block;
}

/* Line 11. */
static inline void unborn(void *block) {
    const adtape_session_t *s = adtape_session_default();
    adtape_range_t range;
    expect_ok(adtape_live_find(s, block, &range));
    adtape_rebase_remove(s, block);
    give(range.adjoint_base);
    give(block);
}

/* ---- around it ------------------------------------------------------------------------------------ */

/* Takes `fresh`, `reuse` or `system` off the arguments; without it, reuse. */
static inline int choose_allocator(int argc, char **argv) {
    static const char *const names[] = {"reuse", "fresh", "system"};
    for (int i = 0; i < 3 && argc > 1; i++) {
        if (strcmp(argv[argc - 1], names[i]) == 0) {
            policy_ = i;
            return argc - 1;
        }
    }
    return argc;
}

/* Both sweeps match. Blocks came back elsewhere, with fresh addresses all of them: code that takes an address of the
 * forward sweep for one of the reverse sweep is wrong here. */
static inline void check_blocks(adtape_t *t) {
    adtape_live_stats_t stats;
    expect_ok(adtape_live_stats(adtape_session_default(), &stats));
    check_tape_empty("bytes on the tape after the adjoint", t);
    check_count("ranges left alive", stats.ranges, 0);
    check_count("pointers left waiting", stats.waiting, 0);
    report_count("blocks that came back", reborn_);
    if (policy_ == FRESH) {
        check_count("of them elsewhere", moved_, reborn_);
    } else if (policy_ == REUSE) {
        check_count("some of them elsewhere", moved_ > 0, 1);
    }
    reversing_ = 0;
}

#endif
