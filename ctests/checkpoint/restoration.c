/* Checkpoints of everything that is alive: a list that grows and shrinks, memory from other allocators, a stable heap,
 * adjoints that wait for their objects, addresses on the tape below a checkpoint. */
#include "check.h"
#include <stddef.h>

static adtape_store_t *store;

typedef struct node {
    double value;
    struct node *next;
} node_t;

static node_t *head;

static void save(const char *name, adtape_save_stats_t *counts) {
    adtape_checkpoint_t *c;
    CHECK_OK(adtape_checkpoint_create(store, name, &c));
    CHECK_OK(adtape_checkpoint_write_pointer(c, NULL, "head", head));
    CHECK_OK(adtape_live_save(NULL, c, NULL, 0, counts));
    CHECK_OK(adtape_checkpoint_commit(c));
}

static void load(const char *name, adtape_restoration_t **r, adtape_restore_stats_t *counts) {
    adtape_checkpoint_t *c;
    void *p, *p_adjoint;
    CHECK_OK(adtape_checkpoint_open(store, name, &c));
    CHECK_OK(adtape_live_restore(NULL, c, r, counts));
    CHECK_OK(adtape_checkpoint_find(c, "head"));
    CHECK_OK(adtape_checkpoint_read_pointer(c, NULL, "head", &p, &p_adjoint));
    head = (node_t *)p;
    CHECK_OK(adtape_checkpoint_close(c));
}

static void push_front(double value) {
    node_t *n = (node_t *)malloc(sizeof *n);
    n->value = value;
    n->next = head;
    adtape_live_add(NULL, n, sizeof *n, ADTAPE_KIND_HEAP, "node");
    head = n;
}

static void drop_front(void) {
    node_t *n = head;
    head = n->next;
    adtape_live_remove(NULL, n);
    free(n);
}

static void drop_all(void) {
    while (head != NULL) {
        drop_front();
    }
}

static double sum(void) {
    double total = 0;
    for (const node_t *n = head; n != NULL; n = n->next) {
        total = 2 * total + n->value;
    }
    return total;
}

static void list_that_grew_and_shrank_comes_back(void) {
    const int64_t next = offsetof(node_t, next);
    adtape_save_stats_t saved;
    adtape_restore_stats_t done;
    adtape_section_t section;
    adtape_checkpoint_t *c;
    double before;
    int kinds = 0;
    CHECK_OK(adtape_live_set_pointers(NULL, "node", sizeof(node_t), &next, 1));
    for (int i = 0; i < 5; i++) {
        push_front(i);
    }
    before = sum();
    save("list", &saved);
    CHECK_U64(saved.ranges, 5);
    CHECK_U64(saved.pointers, 5);
    CHECK_U64(saved.bytes, 5 * sizeof(node_t));
    for (int i = 0; i < 3; i++) {
        drop_front();
    }
    for (int i = 0; i < 7; i++) {
        push_front(100 + i);
    }
    load("list", NULL, &done);
    CHECK(sum() == before);
    CHECK_U64(done.kept, 2);
    CHECK_U64(done.allocated, 3);
    CHECK_U64(done.reused, 3);
    CHECK_U64(done.ended, 7);
    /* A look at it without reading it. */
    CHECK_OK(adtape_checkpoint_open(store, "list", &c));
    for (;;) {
        CHECK_OK(adtape_checkpoint_next(c, 0, &section));
        if (section.name == NULL) {
            break;
        }
        kinds = 10 * kinds + section.kind;
        CHECK_OK(adtape_checkpoint_next(c, 1, NULL));
    }
    CHECK_U64((uint64_t)kinds, 3456);
    CHECK_OK(adtape_checkpoint_close(c));
    drop_all();
}

/* ---- allocators ---------------------------------------------------------------------------------------- */

static int allocations, deallocations;

static void *allocate(const adtape_wanted_t *wanted, void *user) {
    CHECK(user == &allocations && wanted->rank == 2 && wanted->lower[1] == -1 && wanted->extents[0] == 3);
    CHECK(strcmp(wanted->label, "u") == 0 && wanted->kind == ADTAPE_KIND_ALLOCATABLE);
    allocations++;
    return calloc(1, wanted->bytes);
}

static void deallocate(const adtape_wanted_t *wanted, void *base, void *user) {
    CHECK(user == &allocations && wanted->bytes == 48);
    deallocations++;
    free(base);
}

static void *no_memory(const adtape_wanted_t *wanted, void *user) {
    (void)wanted, (void)user;
    return NULL;
}

static void arrays_come_from_the_allocator_of_their_label(void) {
    static const int64_t lower[2] = {0, -1}, extents[2] = {3, 2}, wrong[2] = {3, -2};
    adtape_checkpoint_t *c;
    adtape_restore_stats_t done;
    adtape_range_t range;
    double *u = (double *)calloc(6, sizeof *u);
    int64_t count;
    adtape_live_add(NULL, u, 48, ADTAPE_KIND_ALLOCATABLE, "u");
    CHECK_OK(adtape_live_set_bounds(NULL, u, 2, lower, extents));
    CHECK_FAILS(adtape_live_set_bounds(NULL, u, 2, lower, wrong), ADTAPE_STATUS_BAD_ARGUMENT, "negative");
    CHECK_FAILS(adtape_live_set_bounds(NULL, u, -1, lower, wrong), ADTAPE_STATUS_COUNT_RANGE, "-1");
    u[5] = 2.5;
    save("arrays", NULL);
    adtape_live_remove(NULL, u);
    free(u);
    CHECK_OK(adtape_checkpoint_open(store, "arrays", &c));
    CHECK_FAILS(adtape_live_restore(NULL, c, NULL, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "adtape_live_set_allocator");
    CHECK_OK(adtape_live_set_allocator(NULL, "u", no_memory, deallocate, &allocations));
    CHECK_FAILS(adtape_live_restore(NULL, c, NULL, NULL), ADTAPE_STATUS_OUT_OF_MEMORY, "\"u\"");
    CHECK_OK(adtape_live_set_allocator(NULL, "u", allocate, deallocate, &allocations));
    CHECK_FAILS(adtape_live_set_allocator(NULL, "u", allocate, NULL, NULL), ADTAPE_STATUS_NULL_POINTER, "one of two");
    CHECK_OK(adtape_live_restore(NULL, c, NULL, &done));
    CHECK_U64(done.allocated, 1);
    CHECK_OK(adtape_live_list(NULL, &range, 1, &count));
    CHECK(count == 1 && allocations == 1 && ((double *)range.base)[5] == 2.5);
    CHECK_OK(adtape_checkpoint_close(c));
    /* One that came later goes by its allocator, too. */
    save("one", NULL);
    u = (double *)calloc(6, sizeof *u);
    adtape_live_add(NULL, u, 48, ADTAPE_KIND_ALLOCATABLE, "u");
    load("one", NULL, &done);
    CHECK(done.ended == 1 && deallocations == 1);
    adtape_live_remove(NULL, range.base);
    free(range.base);
    CHECK_OK(adtape_live_set_allocator(NULL, "u", NULL, NULL, NULL));
}

/* ---- chosen contents ------------------------------------------------------------------------------------ */

static void contents_of_chosen_ranges_only_are_saved(void) {
    static double x[4], y[4];
    const void *chosen[1] = {x};
    adtape_save_stats_t saved;
    adtape_checkpoint_t *c;
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STATIC, "x");
    adtape_live_add(NULL, y, sizeof y, ADTAPE_KIND_STATIC, "y");
    x[0] = y[0] = 1;
    CHECK_OK(adtape_checkpoint_create(store, "some", &c));
    CHECK_OK(adtape_live_save(NULL, c, chosen, 1, &saved));
    CHECK_U64(saved.bytes, sizeof x);
    CHECK_OK(adtape_checkpoint_commit(c));
    x[0] = y[0] = 2;
    CHECK_OK(adtape_checkpoint_open(store, "some", &c));
    CHECK_OK(adtape_live_restore(NULL, c, NULL, NULL));
    CHECK(x[0] == 1 && y[0] == 2);
    CHECK_OK(adtape_checkpoint_close(c));
    CHECK_FAILS(adtape_live_save(NULL, NULL, chosen, 1, NULL), ADTAPE_STATUS_NULL_HANDLE, "checkpoint");
    adtape_live_remove(NULL, x);
    adtape_live_remove(NULL, y);
}

/* ---- a stable heap --------------------------------------------------------------------------------------- */

static void blocks_of_a_stable_heap_come_back_at_their_addresses(void) {
    adtape_heap_t *h;
    adtape_t *const t = adtape_self();
    node_t *a, *b;
    adtape_restore_stats_t done;
    CHECK_OK(adtape_heap_create(0, 0, &h));
    CHECK_OK(adtape_heap_set_recording(h, false));
    CHECK_OK(adtape_heap_join(h, NULL, ADTAPE_JOIN_STATE, NULL));
    CHECK_FAILS(adtape_heap_join(h, NULL, ADTAPE_JOIN_STATE, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "once");
    a = (node_t *)adtape_heap_alloc(h, t, sizeof *a);
    b = (node_t *)adtape_heap_alloc(h, t, sizeof *b);
    a->value = 1;
    a->next = b;
    b->value = 2;
    b->next = NULL;
    adtape_live_add(NULL, a, sizeof *a, ADTAPE_KIND_HEAP, "node");
    adtape_live_add(NULL, b, sizeof *b, ADTAPE_KIND_HEAP, "node");
    head = a;
    save("stable", NULL);
    adtape_live_remove(NULL, b);
    adtape_heap_free(h, t, b);
    a->next = NULL;
    load("stable", NULL, &done);
    CHECK(head == a && a->next == b && b->value == 2);
    CHECK(done.kept == 1 && done.allocated == 0);
    adtape_live_remove(NULL, a);
    adtape_live_remove(NULL, b);
    head = NULL;
    CHECK_OK(adtape_heap_leave(h));
    CHECK_OK(adtape_heap_destroy(h));
}

/* ---- the reverse sweep ------------------------------------------------------------------------------------ */

static void addresses_below_a_checkpoint_are_those_of_then(void) {
    adtape_t *const t = adtape_self();
    adtape_restoration_t *r;
    void *raw, *there, *p, *p_adjoint;
    push_front(1);
    raw = head;
    adtape_push_opaque(t, raw); /* an address among other data, below the checkpoint */
    save("below", NULL);
    drop_front();
    there = malloc(sizeof(node_t)); /* so that the object of the checkpoint does not get its address again */
    load("below", &r, NULL);
    CHECK(head->value == 1);
    adtape_live_begin_reverse(NULL);
    CHECK_OK(adtape_live_arrive(NULL, r));
    adtape_pop_opaque(t, &p);
    adtape_rebase_pointer(NULL, p, &p, &p_adjoint);
    CHECK(p == head && p_adjoint == NULL);
    CHECK_FAILS(adtape_live_arrive(NULL, NULL), ADTAPE_STATUS_NULL_HANDLE, "adtape_live_restore");
    drop_all();
    free(there);
}

static void adjoint_waits_for_its_object(void) {
    adtape_range_t range;
    double adjoint[2] = {0, 0};
    int64_t forgotten;
    save("empty", NULL);
    push_front(2);
    adtape_live_set_adjoint(NULL, head, adjoint, sizeof adjoint);
    load("empty", NULL, NULL);
    CHECK(head == NULL);
    push_front(2); /* the section is run again */
    CHECK_OK(adtape_live_find(NULL, head, &range));
    CHECK(range.adjoint_base == adjoint);
    adtape_live_begin_reverse(NULL);
    /* Given up half way. */
    load("empty", NULL, NULL);
    CHECK_OK(adtape_live_forget_adjoints(NULL, NULL, &forgotten));
    CHECK_U64(forgotten, 1);
    adtape_live_begin_reverse(NULL);
}

static void what_is_wrong_is_said(void) {
    static const int64_t offsets[2] = {0, 4};
    adtape_checkpoint_t *c;
    void *p;
    CHECK_FAILS(adtape_live_set_pointers(NULL, NULL, 8, NULL, 0), ADTAPE_STATUS_NULL_POINTER, "label");
    CHECK_FAILS(adtape_live_set_pointers(NULL, "x", 16, offsets, 2), ADTAPE_STATUS_BAD_ARGUMENT, "side by side");
    CHECK_FAILS(adtape_live_set_pointers(NULL, "x", 16, offsets, -1), ADTAPE_STATUS_COUNT_RANGE, "-1");
    CHECK_OK(adtape_checkpoint_create(store, "wrong", &c));
    CHECK_FAILS(adtape_live_restore(NULL, c, NULL, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "being written");
    CHECK_FAILS(adtape_checkpoint_write_pointer(c, NULL, "p", &c), ADTAPE_STATUS_NO_RANGE, "no range");
    CHECK_OK(adtape_checkpoint_write_pointer(c, NULL, "p", NULL));
    CHECK_OK(adtape_checkpoint_commit(c));
    CHECK_OK(adtape_checkpoint_open(store, "wrong", &c));
    CHECK_FAILS(adtape_live_save(NULL, c, NULL, 0, NULL), ADTAPE_STATUS_BAD_ARGUMENT, "being read");
    CHECK_FAILS(adtape_live_restore(NULL, c, NULL, NULL), ADTAPE_STATUS_NOT_FOUND, "live ranges");
    CHECK_FAILS(adtape_checkpoint_read_pointer(c, NULL, "q", &p, NULL), ADTAPE_STATUS_MISMATCH, "\"p\"");
    CHECK_OK(adtape_checkpoint_read_pointer(c, NULL, "p", &p, NULL));
    CHECK(p == NULL);
    CHECK_OK(adtape_checkpoint_close(c));
}

int main(void) {
    CHECK_OK(adtape_store_create_memory(0, NULL, &store));
    list_that_grew_and_shrank_comes_back();
    arrays_come_from_the_allocator_of_their_label();
    contents_of_chosen_ranges_only_are_saved();
    blocks_of_a_stable_heap_come_back_at_their_addresses();
    addresses_below_a_checkpoint_are_those_of_then();
    adjoint_waits_for_its_object();
    what_is_wrong_is_said();
    CHECK_OK(adtape_store_destroy(store));
    return 0;
}
