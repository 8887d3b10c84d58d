/* Pointers on the tape: restored to the same place of the same object; those that wait. */
#include <pthread.h>
#include <sys/mman.h>

#include "check.h"


static int64_t waiting(void) {
    int64_t count = -1;
    CHECK_OK(adtape_live_list_waiting(NULL, NULL, 0, &count));
    return count;
}

static void null_comes_back_as_null_in_eight_bytes(void) {
    adtape_t *t = adtape_self();
    void *p = &t, *pb = &t;
    adtape_push_pointer(t, NULL, NULL);
    CHECK_U64(stats_of(t).bytes, 8);
    adtape_pop_pointer(t, NULL, &p, &pb);
    CHECK(p == NULL && pb == NULL);
}

static void pointers_to_pointers_and_functions_come_back(void) {
    adtape_t *t = adtape_self();
    static double x;
    double *p = &x, **pp = &p, *array[3] = {&x, NULL, &x};
    int (*function)(const char *) = puts;
    adtape_live_add(NULL, &x, sizeof x, ADTAPE_KIND_STATIC, "x");
    adtape_live_add(NULL, &p, sizeof p, ADTAPE_KIND_STACK, "p");
    adtape_live_add(NULL, array, sizeof array, ADTAPE_KIND_STACK, "array");
    adtape_live_add(NULL, (void *)(uintptr_t)puts, 1, ADTAPE_KIND_STATIC, "puts");
    adtape_push_pointer(t, NULL, pp);
    for (int i = 0; i < 3; i++) {
        adtape_push_pointer(t, NULL, array[i]);
    }
    adtape_push_pointer(t, NULL, (void *)(uintptr_t)function);
    pp = NULL;
    array[0] = array[1] = array[2] = NULL;
    adtape_live_begin_reverse(NULL);
    void *address = NULL;
    adtape_pop_pointer(t, NULL, &address, NULL);
    CHECK(address == (void *)(uintptr_t)puts);
    for (int i = 2; i >= 0; i--) {
        adtape_pop_pointer(t, NULL, (void **)&array[i], NULL);
        CHECK(array[i] == (i == 1 ? NULL : &x));
    }
    adtape_pop_pointer(t, NULL, (void **)&pp, NULL);
    CHECK(pp == &p);
    adtape_rebase_remove(NULL, &x);
    adtape_rebase_remove(NULL, &p);
    adtape_rebase_remove(NULL, array);
    adtape_rebase_remove(NULL, (void *)(uintptr_t)puts);
}

/* Offsets from 512 MiB on take three words. No memory is touched. */
static void pointers_far_into_an_object_come_back(void) {
    static const uint64_t offsets[] = {0, 1, (1u << 29) - 1, 1u << 29, UINT64_C(1) << 40};
    adtape_t *t = adtape_self();
    char *base = (char *)(UINT64_C(1) << 45), *elsewhere = (char *)(UINT64_C(1) << 46), *p = NULL, *pb = NULL;
    adtape_live_add(NULL, base, UINT64_C(1) << 41, ADTAPE_KIND_FOREIGN, "large");
    for (int i = 0; i < 5; i++) {
        const uint64_t before = stats_of(t).bytes;
        adtape_push_pointer(t, NULL, base + offsets[i]);
        CHECK_U64(stats_of(t).bytes - before, i < 3 ? 8 : 24);
    }
    adtape_live_end(t, NULL, base);
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, elsewhere, base, UINT64_C(1) << 41);
    for (int i = 4; i >= 0; i--) {
        adtape_pop_pointer(t, NULL, (void **)&p, (void **)&pb);
        CHECK(p == elsewhere + offsets[i] && pb == base + offsets[i]);
    }
    adtape_rebase_remove(NULL, elsewhere);
}

/* A pointer that still points to a block that was freed comes back before the block does. */
static void pointer_waits_for_its_object(void) {
    adtape_t *t = adtape_self();
    double *block = malloc(4 * sizeof *block), *p, *pb = NULL, *q = NULL, adjoint[4];
    CHECK(block != NULL);
    p = &block[1];
    adtape_live_add(NULL, block, 4 * sizeof *block, ADTAPE_KIND_HEAP, "block");
    adtape_live_end(t, NULL, block);
    free(block);
    adtape_push_pointer(t, NULL, p);
    adtape_push_pointer(t, NULL, p + 1);
    p = adjoint;
    adtape_live_begin_reverse(NULL);
    adtape_pop_pointer(t, NULL, (void **)&q, NULL);
    adtape_pop_pointer(t, NULL, (void **)&p, (void **)&pb);
    CHECK(p == NULL && pb == NULL && q == NULL);
    CHECK_I64(waiting(), 3);
    void *variables[2] = {NULL, NULL};
    int64_t count = 0;
    CHECK_OK(adtape_live_list_waiting(NULL, variables, 2, &count));
    CHECK(count == 3 && variables[0] < variables[1] && variables[0] != NULL);
    CHECK_FAILS(adtape_live_list_waiting(NULL, NULL, 1, &count), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    CHECK_FAILS(adtape_live_list_waiting(NULL, NULL, -1, &count), ADTAPE_STATUS_COUNT_RANGE, "-1 entries");
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    block = malloc(range.bytes);
    CHECK(block != NULL);
    adtape_rebase_add(NULL, &range, block, adjoint, sizeof adjoint);
    CHECK(p == &block[1] && pb == &adjoint[1] && q == &block[2]);
    CHECK_I64(waiting(), 0);
    adtape_rebase_remove(NULL, block);
    free(block);
}

/* The variable that waits is in a block that is gone before the target comes: nothing is written there. */
static void pointer_in_a_range_that_ends_waits_no_more(void) {
    adtape_t *t = adtape_self();
    struct node {
        struct node *next;
        double x;
    } *one = calloc(1, sizeof *one), *two = calloc(1, sizeof *two), *oneb = calloc(1, sizeof *oneb), kept = {NULL, 0};
    CHECK(one != NULL && two != NULL && oneb != NULL);
    adtape_live_add(NULL, two, sizeof *two, ADTAPE_KIND_HEAP, "two");
    adtape_live_end(t, NULL, two);
    adtape_push_pointer(t, NULL, two);
    adtape_push_pointer(t, NULL, two);
    adtape_live_add(NULL, one, sizeof *one, ADTAPE_KIND_HEAP, "one");
    adtape_live_set_adjoint(NULL, one, oneb, sizeof *oneb);
    adtape_live_begin_reverse(NULL);
    adtape_pop_pointer(t, NULL, (void **)&kept.next, NULL);
    adtape_pop_pointer(t, NULL, (void **)&one->next, (void **)&oneb->next);
    CHECK_I64(waiting(), 3);
    adtape_rebase_remove(NULL, one);
    CHECK_I64(waiting(), 1);
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, two, NULL, 0);
    CHECK(one->next == NULL && oneb->next == NULL && kept.next == two);
    adtape_rebase_remove(NULL, two);
    free(one);
    free(two);
    free(oneb);
}

static void variable_that_gets_another_value_waits_no_more(void) {
    adtape_t *t = adtape_self();
    static double x, y;
    double *p = NULL;
    adtape_live_add(NULL, &y, sizeof y, ADTAPE_KIND_STATIC, "y");
    adtape_live_add(NULL, &x, sizeof x, ADTAPE_KIND_STATIC, "x");
    adtape_push_pointer(t, NULL, &y);
    adtape_push_pointer(t, NULL, &x);
    adtape_live_end(t, NULL, &x);
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    adtape_pop_pointer(t, NULL, (void **)&p, NULL);
    CHECK_I64(waiting(), 1);
    adtape_pop_pointer(t, NULL, (void **)&p, NULL);
    CHECK_I64(waiting(), 0);
    adtape_rebase_add(NULL, &range, &x, NULL, 0);
    CHECK(p == &y);
    adtape_rebase_remove(NULL, &x);
    adtape_rebase_remove(NULL, &y);
}

/* The forward sweep on one thread's stack, the reverse sweep on another's. */
enum { DEPTH = 50 };
static adtape_t *shared_tape;
static double *marked;

static void descend(adtape_t *t, int depth) {
    double local = depth;
    adtape_live_add(NULL, &local, sizeof local, ADTAPE_KIND_STACK, "local");
    adtape_push_pointer(t, NULL, marked);
    marked = &local;
    if (depth < DEPTH) {
        descend(t, depth + 1);
    }
    adtape_live_end(t, NULL, &local);
}

static void ascend(adtape_t *t, int depth) {
    double local = depth, *pb = NULL, local_adjoint[3] = {0, 0, 0};
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, &local, &local_adjoint[1], sizeof local);
    if (depth < DEPTH) {
        ascend(t, depth + 1);
    }
    CHECK(marked == &local || depth == DEPTH);
    adtape_pop_pointer(t, NULL, (void **)&marked, (void **)&pb);
    CHECK(depth == 1 ? marked == NULL : *marked == depth - 1);
    CHECK(depth == 1 ? pb == NULL : pb != NULL);
    adtape_rebase_remove(NULL, &local);
}

static void *reverse_elsewhere(void *unused) {
    CHECK_OK(adtape_acquire(shared_tape));
    adtape_live_begin_reverse(NULL);
    ascend(shared_tape, 1);
    CHECK_OK(adtape_release(shared_tape, &shared_tape));
    return unused;
}

static void sweeps_run_on_the_stacks_of_two_threads(void) {
    pthread_t thread;
    shared_tape = new_tape();
    marked = NULL;
    descend(shared_tape, 1);
    CHECK_OK(adtape_release(shared_tape, &shared_tape));
    CHECK(pthread_create(&thread, NULL, reverse_elsewhere, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_OK(adtape_acquire(shared_tape));
    CHECK_U64(stats_of(shared_tape).bytes, 0);
    CHECK_OK(adtape_destroy(shared_tape));
}

/* Each thread has stack variables of its own and pointers into what they share. */
static double shared[64], shared_adjoint[64];

static void *work(void *which) {
    adtape_t *t = adtape_self();
    uint64_t state = (uint64_t)(uintptr_t)which;
    enum { STEPS = 2000 };
    int targets[STEPS];
    double *p = NULL, *pb = NULL;
    for (int i = 0; i < STEPS; i++) {
        double local = i;
        targets[i] = (int)random_below(&state, 65);
        adtape_live_add(NULL, &local, sizeof local, ADTAPE_KIND_STACK, "local");
        adtape_push_pointer(t, NULL, targets[i] == 64 ? &local : &shared[targets[i]]);
        adtape_live_end(t, NULL, &local);
    }
    for (int i = STEPS - 1; i >= 0; i--) {
        double local = i, adjoint = 0;
        adtape_range_t range;
        adtape_pop_range(t, NULL, &range);
        adtape_rebase_add(NULL, &range, &local, &adjoint, sizeof adjoint);
        adtape_pop_pointer(t, NULL, (void **)&p, (void **)&pb);
        CHECK(p == (targets[i] == 64 ? &local : &shared[targets[i]]));
        CHECK(pb == (targets[i] == 64 ? &adjoint : &shared_adjoint[targets[i]]));
        adtape_rebase_remove(NULL, &local);
    }
    CHECK_U64(stats_of(t).bytes, 0);
    return NULL;
}

static void threads_share_the_map_and_have_stacks_of_their_own(void) {
    pthread_t threads[4];
    adtape_live_add(NULL, shared, sizeof shared, ADTAPE_KIND_STATIC, "shared");
    adtape_live_set_adjoint(NULL, shared, shared_adjoint, sizeof shared_adjoint);
    for (uintptr_t i = 0; i < 4; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, (void *)(i + 1)) == 0);
    }
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    adtape_live_remove(NULL, shared);
}

/* `memory` belongs to one block after the other, as that of malloc does; blocks come back elsewhere. */
static double memory[4], places[3][4], adjoints[3][4];

static double *born(const char *label) {
    adtape_live_add(NULL, memory, sizeof memory, ADTAPE_KIND_HEAP, label);
    return memory;
}

static double *back(int i) {
    adtape_range_t range;
    memset(adjoints[i], 0, sizeof adjoints[i]);
    adtape_pop_range(adtape_self(), NULL, &range);
    adtape_rebase_add(NULL, &range, places[i], adjoints[i], sizeof adjoints[i]);
    return places[i];
}

/* p = a + 1; free(a); b = malloc(…); p = b: what is pushed is a pointer into b, as far as anybody can know. p stayed at
 * b's address when a was back, and the derivative was lost. */
static void dangling_pointer_overwritten_after_its_address_was_reused_comes_back_to_its_block(void) {
    adtape_t *t = adtape_self();
    double *a = born("a"), *p = &a[1], *pb = NULL, *b, u = 3, ub = 0, y;
    *p = u;
    y = *p * *p;
    adtape_push_f64(t, *p);
    adtape_live_end(t, NULL, a);
    b = born("b");
    adtape_push_pointer(t, NULL, p);
    p = b;
    adtape_live_begin_reverse(NULL);
    adtape_live_set_adjoint(NULL, b, adjoints[2], sizeof adjoints[2]);
    adtape_pop_pointer(t, NULL, (void **)&p, (void **)&pb);
    CHECK(p == &memory[1] && pb == &adjoints[2][1]);
    CHECK_I64(waiting(), 0);
    adtape_rebase_remove(NULL, b);
    a = back(0);
    CHECK(p == &a[1] && pb == &adjoints[0][1]);
    adtape_pop_f64(t, p);
    *pb += 2 * *p;
    ub += *pb;
    CHECK(y == 9 && ub == 6);
    adtape_rebase_remove(NULL, a);
}

/* Three blocks, and pointers to the first two that are overwritten while the third has the address, or after its death. */
static void dangling_pointers_follow_their_address_through_all_of_its_blocks(void) {
    for (int third_died = 0; third_died < 2; third_died++) {
        adtape_t *t = adtape_self();
        double *p = &born("a")[1], *pb = NULL, *q, *qb = NULL, *c;
        adtape_live_end(t, NULL, memory);
        q = &born("b")[4];
        adtape_live_end(t, NULL, memory);
        c = born("c");
        if (third_died) {
            adtape_live_end(t, NULL, c);
        }
        adtape_push_pointer(t, NULL, p);
        adtape_push_pointer(t, NULL, q);
        adtape_live_begin_reverse(NULL);
        adtape_pop_pointer(t, NULL, (void **)&q, (void **)&qb);
        adtape_pop_pointer(t, NULL, (void **)&p, (void **)&pb);
        CHECK_I64(waiting(), third_died ? 4 : 0);
        c = third_died ? back(2) : memory;
        CHECK(p == &c[1] && q == &c[4]);
        adtape_rebase_remove(NULL, c);
        CHECK(back(1) == places[1] && q == &places[1][4] && qb == &adjoints[1][4]);
        adtape_rebase_remove(NULL, places[1]);
        CHECK(back(0) == places[0] && p == &places[0][1] && pb == &adjoints[0][1]);
        adtape_rebase_remove(NULL, places[0]);
    }
}

/* An address that came back among other data, and a pair, which may lead anywhere, are as doubtful as a pointer. */
static void stale_addresses_and_pairs_follow_as_well(void) {
    adtape_t *t = adtape_self();
    double *p = &born("a")[1], *pb = NULL, *q = NULL, *qb = NULL;
    adtape_pair_t pair = {NULL, 0};
    adtape_live_end(t, NULL, memory);
    born("b");
    adtape_push_pair(t, NULL, memory, 800);
    adtape_live_begin_reverse(NULL);
    adtape_rebase_pointer(NULL, p, (void **)&p, (void **)&pb);
    adtape_pop_pair(t, NULL, &pair, (void **)&q, (void **)&qb);
    CHECK(p == &memory[1] && pair.base == memory && (uintptr_t)q == (uintptr_t)memory + 800 && qb == NULL);
    adtape_rebase_remove(NULL, memory);
    double *a = back(0);
    CHECK(p == &a[1] && pb == &adjoints[0][1]);
    CHECK(pair.base == a && pair.offset == 800);
    CHECK((uintptr_t)q == (uintptr_t)a + 800 && (uintptr_t)qb == (uintptr_t)adjoints[0] + 800);
    adtape_rebase_remove(NULL, a);
}

/* A variable that was popped as a pointer into b, and has another value when a is back, is none of ours. */
static void variable_that_the_program_set_since_keeps_its_value(void) {
    adtape_t *t = adtape_self();
    double x = 0, *variables[5], *adjoint_variables[5];
    born("a");
    adtape_live_end(t, NULL, memory);
    /* Another block, which lies in the reverse sweep where b lay, as memory of malloc does. */
    adtape_live_add(NULL, places[1], sizeof memory, ADTAPE_KIND_HEAP, "z");
    adtape_live_end(t, NULL, places[1]);
    born("b");
    for (int i = 0; i < 5; i++) {
        adtape_push_pointer(t, NULL, memory);
    }
    adtape_live_begin_reverse(NULL);
    adtape_live_set_adjoint(NULL, memory, adjoints[1], sizeof memory);
    for (int i = 0; i < 5; i++) {
        adtape_pop_pointer(t, NULL, (void **)&variables[i], (void **)&adjoint_variables[i]);
    }
    adtape_rebase_remove(NULL, memory);
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    variables[0] = &x;
    adjoint_variables[1] = &x;
    variables[2] = NULL;
    adjoint_variables[3] = NULL;
    /* variables[4] = malloc(range.bytes); adjoint_variables[4] = calloc(…) */
    adtape_rebase_add(NULL, &range, memory, adjoints[1], sizeof memory);
    back(0);
    CHECK(variables[0] == &x && adjoint_variables[0] == adjoints[1]);
    CHECK(variables[1] == memory && adjoint_variables[1] == &x);
    CHECK(variables[2] == NULL && adjoint_variables[2] == adjoints[1]);
    CHECK(variables[3] == memory && adjoint_variables[3] == NULL);
    CHECK(variables[4] == memory && adjoint_variables[4] == adjoints[1]);
    adtape_rebase_remove(NULL, memory);
    adtape_rebase_remove(NULL, places[0]);
}

/* Pointer variables in memory that went back to the system: nothing is read there. */
static void variable_whose_memory_is_gone_is_left_alone(void) {
    adtape_t *t = adtape_self();
    const size_t bytes = 1 << 20;
    void **variables = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(variables != MAP_FAILED);
    born("a");
    adtape_live_end(t, NULL, memory);
    born("b");
    adtape_push_pointer(t, NULL, memory);
    adtape_live_begin_reverse(NULL);
    adtape_pop_pointer(t, NULL, &variables[0], &variables[1]);
    CHECK(variables[0] == memory);
    CHECK(munmap(variables, bytes) == 0);
    adtape_rebase_remove(NULL, memory);
    back(0);
    adtape_rebase_remove(NULL, places[0]);
}

int main(void) {
    null_comes_back_as_null_in_eight_bytes();
    pointers_to_pointers_and_functions_come_back();
    pointers_far_into_an_object_come_back();
    pointer_waits_for_its_object();
    pointer_in_a_range_that_ends_waits_no_more();
    variable_that_gets_another_value_waits_no_more();
    sweeps_run_on_the_stacks_of_two_threads();
    threads_share_the_map_and_have_stacks_of_their_own();
    dangling_pointer_overwritten_after_its_address_was_reused_comes_back_to_its_block();
    dangling_pointers_follow_their_address_through_all_of_its_blocks();
    stale_addresses_and_pairs_follow_as_well();
    variable_that_the_program_set_since_keeps_its_value();
    variable_whose_memory_is_gone_is_left_alone();
    adtape_live_stats_t stats;
    CHECK_OK(adtape_live_stats(NULL, &stats));
    CHECK_U64(stats.ranges, 0);
    return 0;
}
