/* A stable heap among other objects: pointers between its blocks, variables and blocks of malloc. */
#include "check.h"

static adtape_heap_t *new_heap(int32_t factor, const char *label) {
    adtape_heap_t *h = NULL;
    CHECK_OK(adtape_heap_create(factor, (int64_t)1 << 30, &h));
    if (label != NULL) {
        CHECK_OK(adtape_heap_join(h, NULL, ADTAPE_JOIN_RANGE, label));
    }
    return h;
}
static uint64_t ranges_alive(void) {
    adtape_live_stats_t stats;
    CHECK_OK(adtape_live_stats(NULL, &stats));
    return stats.ranges;
}
static uint64_t waiting(void) {
    adtape_live_stats_t stats;
    CHECK_OK(adtape_live_stats(NULL, &stats));
    return stats.waiting;
}

/* ---- one program, whose heap is one range or is registered block by block ------------------------------- */

/* In a block of the heap, on the stack, and in a block of malloc. */
typedef struct cell {
    double u;
    struct cell *next;
} cell;

static bool by_block;

static cell *heap_birth(adtape_heap_t *h, adtape_t *t) {
    cell *p = (cell *)adtape_heap_calloc(h, t, 1, sizeof *p);
    if (by_block) {
        adtape_live_add(NULL, p, sizeof *p, ADTAPE_KIND_HEAP, "cell");
        adtape_live_set_adjoint(NULL, p, adtape_heap_adjoint(h, p), sizeof *p);
    }
    return p;
}
static void heap_death(adtape_heap_t *h, adtape_t *t, cell *p) {
    adtape_push_f64(t, p->u);
    adtape_push_pointer(t, NULL, p->next);
    if (by_block) {
        adtape_live_end(t, NULL, p);
    }
    adtape_heap_free(h, t, p);
}
static void heap_rebirth(adtape_heap_t *h, adtape_t *t) {
    cell *p = (cell *)adtape_heap_undo_free(h, t), *pb = (cell *)adtape_heap_adjoint(h, p);
    if (by_block) {
        adtape_range_t range;
        adtape_pop_range(t, NULL, &range);
        CHECK(range.base == p);
        adtape_rebase_add(NULL, &range, p, pb, sizeof *p);
    }
    adtape_pop_pointer(t, NULL, (void **)&p->next, (void **)&pb->next);
    adtape_pop_f64(t, &p->u);
}
static void heap_unborn(adtape_heap_t *h, adtape_t *t, cell *p) {
    if (by_block) {
        adtape_rebase_remove(NULL, p);
    }
    adtape_heap_undo_alloc(h, t);
}

/* A ring of n cells on the heap, one on the stack and one in a block of malloc: heap, malloc, stack, heap, ...
 * y = sum of u * next->u. */
enum { N = 20 };

static double forward_sweep(adtape_heap_t *h, adtape_t *t, const double *x, cell **first) {
    cell local = {x[0], NULL}, *block = (cell *)calloc(1, sizeof *block), *p;
    double y = 0;
    adtape_live_add(NULL, &local, sizeof local, ADTAPE_KIND_STACK, "local");
    adtape_live_add(NULL, block, sizeof *block, ADTAPE_KIND_HEAP, "block");
    block->u = x[1];
    block->next = &local;
    *first = block;
    for (int i = 2; i < N; i++) {
        p = heap_birth(h, t);
        p->u = x[i];
        p->next = *first;
        adtape_push_pointer(t, NULL, *first);
        *first = p;
    }
    local.next = *first;
    p = *first;
    for (int i = 0; i < N; i++) {
        y += p->u * p->next->u;
        adtape_push_pointer(t, NULL, p);
        p = p->next;
    }
    adtape_push_pointer(t, NULL, *first);
    for (int i = N - 1; i >= 2; i--) {
        cell *next = (*first)->next;
        heap_death(h, t, *first);
        *first = next;
    }
    adtape_push_f64(t, block->u);
    adtape_push_pointer(t, NULL, block->next);
    adtape_live_end(t, NULL, block);
    free(block);
    adtape_push_f64(t, local.u);
    adtape_push_pointer(t, NULL, local.next); /* dangling: the cells are gone */
    adtape_live_end(t, NULL, &local);
    return y;
}

static void reverse_sweep(adtape_heap_t *h, adtape_t *t, double *xb) {
    cell elsewhere[3], local, localb = {0, NULL}, *p, *pb, *first, *firstb;
    cell *blockb = (cell *)calloc(1, sizeof *blockb), *block = (cell *)calloc(1, sizeof *block);
    adtape_range_t range;
    (void)elsewhere;
    adtape_live_begin_reverse(NULL);
    CHECK_OK(adtape_heap_begin_reverse(h));
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, &local, &localb, sizeof local);
    adtape_pop_pointer(t, NULL, (void **)&local.next, (void **)&localb.next);
    CHECK_U64(waiting(), by_block ? 2 : 0); /* the cell is not back; the heap is always there */
    adtape_pop_f64(t, &local.u);
    adtape_pop_range(t, NULL, &range);
    CHECK(range.base != block);
    adtape_rebase_add(NULL, &range, block, blockb, sizeof *block);
    adtape_pop_pointer(t, NULL, (void **)&block->next, (void **)&blockb->next);
    CHECK(block->next == &local && blockb->next == &localb);
    adtape_pop_f64(t, &block->u);
    for (int i = 2; i < N; i++) {
        heap_rebirth(h, t);
    }
    CHECK_U64(waiting(), 0);
    adtape_pop_pointer(t, NULL, (void **)&first, (void **)&firstb);
    CHECK(local.next == first && localb.next == firstb && firstb == adtape_heap_adjoint(h, first));
    for (int i = 0; i < N; i++) {
        adtape_pop_pointer(t, NULL, (void **)&p, (void **)&pb);
        pb->u += p->next->u;
        pb->next->u += p->u;
    }
    for (int i = N - 1; i >= 2; i--) {
        p = first;
        xb[i] = firstb->u;
        adtape_pop_pointer(t, NULL, (void **)&first, (void **)&firstb);
        heap_unborn(h, t, p);
    }
    CHECK(first == block && firstb == blockb);
    xb[1] = blockb->u;
    xb[0] = localb.u;
    adtape_rebase_remove(NULL, block);
    adtape_rebase_remove(NULL, &local);
    free(block);
    free(blockb);
    CHECK_OK(adtape_heap_end_reverse(h));
}

static void program_with_pointers_everywhere_has_the_same_gradient_by_heap_and_by_block(void) {
    double x[N], xb[2][N];
    adtape_t *t = adtape_self();
    for (int i = 0; i < N; i++) {
        x[i] = 1 + 0.37 * i;
    }
    for (int way = 0; way < 2; way++) {
        adtape_heap_t *h = new_heap(1, way == 0 ? "heap" : NULL);
        cell *first;
        by_block = way == 1;
        CHECK(forward_sweep(h, t, x, &first) > 0);
        reverse_sweep(h, t, xb[way]);
        CHECK_OK(adtape_heap_leave(h));
        CHECK_OK(adtape_heap_destroy(h));
        CHECK_U64(ranges_alive(), 0);
        /* d/dx_i of the sum around the ring */
        for (int i = 0; i < N; i++) {
            CHECK_F64(xb[way][i], x[(i + 1) % N] + x[(i + N - 1) % N]);
        }
    }
    CHECK(memcmp(xb[0], xb[1], sizeof xb[0]) == 0);
}

/* ---- pointers that wait in blocks --------------------------------------------------------------------------- */

/* What lay in a block of malloc is gone, and a pointer to it lies on the tape. */
static void push_dangling(adtape_t *t) {
    double *x = (double *)malloc(10 * sizeof *x);
    adtape_live_add(NULL, x, 10 * sizeof *x, ADTAPE_KIND_HEAP, "x");
    adtape_live_end(t, NULL, x);
    adtape_push_pointer(t, NULL, x + 3);
    free(x);
}
/* It comes back. */
static void bring_back(adtape_t *t, double *x, double *xb) {
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, x, xb, range.bytes);
}

static void pointer_that_waits_in_a_block_is_set_when_its_target_comes(void) {
    adtape_heap_t *h = new_heap(1, "heap");
    adtape_t *t = adtape_self();
    double x[10], xb[10], **p = (double **)adtape_heap_alloc(h, t, 64), **pb;
    push_dangling(t);
    CHECK_OK(adtape_heap_begin_reverse(h));
    pb = (double **)adtape_heap_adjoint(h, p);
    adtape_pop_pointer(t, NULL, (void **)p, (void **)pb);
    CHECK(*p == NULL && waiting() == 2);
    bring_back(t, x, xb);
    CHECK(*p == x + 3 && *pb == xb + 3 && waiting() == 0);
    adtape_rebase_remove(NULL, x);
    adtape_heap_undo_alloc(h, t);
    CHECK_OK(adtape_heap_destroy(h));
    CHECK_U64(ranges_alive(), 0);
}

/* Else it would be written into what lies there by then. */
static void pointer_that_waits_in_a_block_goes_with_the_block(void) {
    adtape_heap_t *h = new_heap(1, "heap");
    adtape_t *t = adtape_self(), *other = NULL;
    double x[10], xb[10];
    CHECK_OK(adtape_create(&other));
    push_dangling(t);
    for (int large = 0; large < 2; large++) {
        const int64_t bytes = large ? 100000 : 64;
        void **p = (void **)adtape_heap_alloc(h, other, bytes), **q, **pb;
        CHECK_OK(adtape_heap_begin_reverse(h));
        pb = (void **)adtape_heap_adjoint(h, p);
        adtape_pop_pointer(t, NULL, p, pb);
        CHECK_U64(waiting(), 2);
        adtape_heap_undo_alloc(h, other);
        CHECK_U64(waiting(), 0);
        q = (void **)adtape_heap_alloc(h, other, bytes);
        CHECK(q == p);
        *q = h;
        bring_back(t, x, xb);
        CHECK(*q == h);
        adtape_live_end(t, NULL, x);
        adtape_push_pointer(t, NULL, x + 3);
        CHECK_OK(adtape_heap_begin_reverse(h));
        adtape_heap_undo_alloc(h, other);
    }
    adtape_pop_pointer(t, NULL, NULL, NULL);
    bring_back(t, x, xb);
    adtape_rebase_remove(NULL, x);
    CHECK_OK(adtape_heap_destroy(h));
    CHECK_OK(adtape_destroy(other));
}

static void pointer_that_waits_in_a_block_moves_along_with_its_contents(void) {
    adtape_heap_t *h = new_heap(1, "heap");
    adtape_t *t = adtape_self(), *other = NULL;
    double x[10], xb[10];
    CHECK_OK(adtape_create(&other));
    push_dangling(t);
    void **p = (void **)adtape_heap_alloc(h, other, 64), **pb;
    void **q = (void **)adtape_heap_realloc(h, other, p, 8000), **qb;
    CHECK(q != p);
    CHECK_OK(adtape_heap_begin_reverse(h));
    qb = (void **)adtape_heap_adjoint(h, q);
    adtape_pop_pointer(t, NULL, q + 2, qb + 2);
    CHECK(adtape_heap_undo_realloc(h, other) == (void *)p);
    pb = (void **)adtape_heap_adjoint(h, p);
    CHECK_U64(waiting(), 2);
    bring_back(t, x, xb);
    CHECK(p[2] == x + 3 && pb[2] == xb + 3);
    adtape_live_end(t, NULL, x);
    adtape_push_pointer(t, NULL, x + 3);
    /* A section that is run again frees the block: its adjoint stays. */
    adtape_pop_pointer(t, NULL, p + 7, pb + 7);
    CHECK_U64(waiting(), 2);
    adtape_heap_free(h, other, p);
    CHECK_U64(waiting(), 1);
    CHECK_OK(adtape_heap_end_reverse(h));
    CHECK_U64(waiting(), 0);
    bring_back(t, x, xb);
    adtape_rebase_remove(NULL, x);
    CHECK_OK(adtape_heap_destroy(h));
    CHECK_OK(adtape_destroy(other));
}

static void snapshot_that_is_restored_drops_what_waits_in_blocks(void) {
    adtape_heap_t *h = new_heap(1, "heap");
    adtape_t *t = adtape_self();
    int64_t bytes;
    double x[10], xb[10], **p = (double **)adtape_heap_calloc(h, t, 1, 64);
    CHECK_OK(adtape_heap_save(h, NULL, 0, &bytes));
    void *snapshot = malloc((size_t)bytes);
    CHECK_OK(adtape_heap_save(h, snapshot, bytes, NULL));
    push_dangling(t);
    adtape_pop_pointer(t, NULL, (void **)p, NULL);
    CHECK_U64(waiting(), 1);
    CHECK_OK(adtape_heap_restore(h, snapshot, bytes));
    CHECK_U64(waiting(), 0);
    bring_back(t, x, xb);
    CHECK(*p == NULL);
    adtape_rebase_remove(NULL, x);
    CHECK_OK(adtape_heap_begin_reverse(h));
    adtape_heap_undo_alloc(h, t);
    free(snapshot);
    CHECK_OK(adtape_heap_destroy(h));
}

/* ---- sizes of adjoints, errors ---------------------------------------------------------------------------------- */

static void adjoints_of_another_size_and_none_at_all_join_too(void) {
    adtape_t *t = adtape_self();
    for (int32_t factor = 0; factor < 3; factor += 2) {
        adtape_heap_t *h = new_heap(factor, "heap");
        float *x = (float *)adtape_heap_alloc(h, t, 100 * sizeof *x), *p = NULL;
        double *pb = NULL;
        adtape_push_pointer(t, NULL, x + 7);
        CHECK_OK(adtape_heap_begin_reverse(h));
        adtape_pop_pointer(t, NULL, (void **)&p, (void **)&pb);
        CHECK(p == x + 7);
        CHECK(pb == (factor == 0 ? NULL : (double *)adtape_heap_adjoint_scaled(h, x) + 7));
        adtape_heap_undo_alloc(h, t);
        CHECK_OK(adtape_heap_destroy(h));
    }
}

static void heap_joins_once_and_not_over_its_blocks(void) {
    adtape_heap_t *h = new_heap(1, "heap");
    adtape_t *t = adtape_self();
    void *p = adtape_heap_alloc(h, t, 100);
    CHECK_FAILS(adtape_heap_join(h, NULL, ADTAPE_JOIN_RANGE, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "has joined");
    CHECK_U64(ranges_alive(), 1);
    CHECK_OK(adtape_heap_leave(h));
    CHECK_OK(adtape_heap_leave(h));
    CHECK_U64(ranges_alive(), 0);
    adtape_live_add(NULL, p, 100, ADTAPE_KIND_HEAP, "p");
    CHECK_FAILS(adtape_heap_join(h, NULL, ADTAPE_JOIN_RANGE | ADTAPE_JOIN_STATE, "mine"), ADTAPE_STATUS_OVERLAP,
        "mine");
    CHECK_U64(ranges_alive(), 1);
    adtape_live_remove(NULL, p);
    CHECK_OK(adtape_heap_join(h, NULL, ADTAPE_JOIN_RANGE, NULL));
    CHECK_FAILS(adtape_heap_join(NULL, NULL, ADTAPE_JOIN_RANGE, NULL), ADTAPE_STATUS_NULL_HANDLE, "heap");
    CHECK_OK(adtape_heap_leave(h));
    CHECK_FAILS(adtape_heap_join(h, NULL, 0, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "cannot join as 0");
    CHECK_FAILS(adtape_heap_leave(NULL), ADTAPE_STATUS_NULL_HANDLE, "heap");
    CHECK_OK(adtape_heap_leave(h));
    CHECK_OK(adtape_heap_begin_reverse(h));
    adtape_heap_undo_alloc(h, t);
    CHECK_OK(adtape_heap_destroy(h));
}

/* The objects may go first. */
static void heap_outlives_the_objects_that_it_joined(void) {
    adtape_objects_t *own = NULL;
    adtape_heap_t *h = NULL;
    CHECK_OK(adtape_objects_create(&own));
    CHECK_OK(adtape_heap_create(1, (int64_t)1 << 30, &h));
    CHECK_OK(adtape_heap_join(h, own, ADTAPE_JOIN_RANGE | ADTAPE_JOIN_STATE, "heap"));
    CHECK_U64(ranges_alive(), 0);
    CHECK_OK(adtape_objects_destroy(own));
    (void)adtape_heap_alloc(h, adtape_self(), 10);
    CHECK_OK(adtape_heap_begin_reverse(h));
    adtape_heap_undo_alloc(h, adtape_self());
    CHECK_OK(adtape_heap_destroy(h));
}

int main(void) {
    program_with_pointers_everywhere_has_the_same_gradient_by_heap_and_by_block();
    pointer_that_waits_in_a_block_is_set_when_its_target_comes();
    pointer_that_waits_in_a_block_goes_with_the_block();
    pointer_that_waits_in_a_block_moves_along_with_its_contents();
    snapshot_that_is_restored_drops_what_waits_in_blocks();
    adjoints_of_another_size_and_none_at_all_join_too();
    heap_joins_once_and_not_over_its_blocks();
    heap_outlives_the_objects_that_it_joined();
    return 0;
}
