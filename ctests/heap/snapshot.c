/* The state of a stable heap: marks that are compared, snapshots that are restored, a time loop with checkpoints. */
#include "check.h"

static adtape_heap_t *h;
static adtape_t *t;

static void mark_tells_whether_the_same_blocks_are_alive(void) {
    adtape_heap_mark_t mark;
    void *p = adtape_heap_alloc(h, t, 100);
    CHECK_OK(adtape_heap_mark_take(h, &mark));
    CHECK_U64(mark.blocks, 1);
    CHECK_OK(adtape_heap_mark_check(h, &mark));
    adtape_push_bytes(t, &mark, sizeof mark);
    adtape_heap_free(h, t, p);
    CHECK_FAILS(adtape_heap_mark_check(h, &mark), ADTAPE_STATUS_HEAP_STATE, "then 112 bytes in 1 block were alive");
    CHECK_OK(adtape_heap_begin_reverse(h));
    adtape_heap_undo_free(h, t);
    adtape_pop_bytes(t, &mark, sizeof mark);
    CHECK_OK(adtape_heap_mark_check(h, &mark));
    adtape_heap_undo_alloc(h, t);
    CHECK_OK(adtape_heap_end_reverse(h));
    CHECK_FAILS(adtape_heap_mark_check(h, NULL), ADTAPE_STATUS_NULL_POINTER, "mark");
    CHECK_FAILS(adtape_heap_mark_take(h, NULL), ADTAPE_STATUS_NULL_POINTER, "mark");
}

/* A list to which each step adds an element of y = sum of x^k; every third step drops the oldest. */
enum { STEPS = 60, EVERY = 12, WIDTH = 50 };

typedef struct cell {
    double value[WIDTH];
    struct cell *next; /* the younger one */
} cell;
typedef struct {
    cell *oldest, *youngest;
    double x, y;
} state;

static void step(state *s, int k) {
    cell *c = (cell *)adtape_heap_alloc(h, t, sizeof *c);
    c->next = NULL;
    for (int i = 0; i < WIDTH; i++) {
        c->value[i] = s->x * (k + i);
    }
    if (s->youngest == NULL) {
        s->oldest = c;
    } else {
        s->youngest->next = c;
    }
    s->youngest = c;
    if (k % 3 == 2) {
        cell *old = s->oldest;
        for (int i = 0; i < WIDTH; i++) {
            s->y += old->value[i] * old->value[i];
        }
        s->oldest = old->next;
        adtape_heap_free_save(h, t, old);
    }
}

/* Pushes what the reverse step needs beside the heap, before the step: generated code would. */
static void recorded_step(state *s, int k) {
    adtape_push_opaque(t, s->oldest);
    adtape_push_opaque(t, s->youngest);
    step(s, k);
}

static void reverse_step(state *s, int k, double *xb, double yb) {
    cell *c = s->youngest;
    if (k % 3 == 2) {
        cell *old = (cell *)adtape_heap_undo_free(h, t), *oldb = (cell *)adtape_heap_adjoint(h, old);
        for (int i = 0; i < WIDTH; i++) {
            oldb->value[i] += 2 * old->value[i] * yb;
        }
    }
    cell *cb = (cell *)adtape_heap_adjoint(h, c);
    for (int i = 0; i < WIDTH; i++) {
        *xb += cb->value[i] * (k + i);
    }
    adtape_heap_undo_alloc(h, t);
    void *p;
    adtape_pop_opaque(t, &p);
    s->youngest = (cell *)p;
    adtape_pop_opaque(t, &p);
    s->oldest = (cell *)p;
    if (s->youngest != NULL) {
        s->youngest->next = NULL;
    }
}

static double gradient(double x, int checkpoints) {
    state s = {NULL, NULL, x, 0};
    double xb = 0;
    struct {
        state s;
        void *bytes;
        int64_t count;
        adtape_heap_mark_t mark;
    } saved[STEPS / EVERY + 1];
    adtape_heap_mark_t end;
    int n = 0;
    CHECK_OK(adtape_heap_set_recording(h, !checkpoints));
    for (int k = 0; k < STEPS; k++) {
        if (checkpoints && k % EVERY == 0) {
            saved[n].s = s;
            CHECK_OK(adtape_heap_mark_take(h, &saved[n].mark));
            CHECK_OK(adtape_heap_save(h, NULL, 0, &saved[n].count));
            saved[n].bytes = malloc((size_t)saved[n].count);
            CHECK_FAILS(adtape_heap_save(h, saved[n].bytes, saved[n].count - 1, NULL), ADTAPE_STATUS_COUNT_RANGE,
                "room");
            CHECK_OK(adtape_heap_save(h, saved[n].bytes, saved[n].count, NULL));
            n++;
        }
        if (checkpoints) {
            step(&s, k);
        } else {
            recorded_step(&s, k);
        }
    }
    CHECK_OK(adtape_heap_mark_take(h, &end));
    CHECK_OK(adtape_heap_begin_reverse(h));
    if (!checkpoints) {
        for (int k = STEPS - 1; k >= 0; k--) {
            reverse_step(&s, k, &xb, 1);
        }
    }
    CHECK_OK(adtape_heap_set_recording(h, true));
    while (n-- > 0) {
        CHECK_OK(adtape_heap_restore(h, saved[n].bytes, saved[n].count));
        CHECK_OK(adtape_heap_mark_check(h, &saved[n].mark));
        free(saved[n].bytes);
        s = saved[n].s;
        for (int k = n * EVERY; k < (n + 1) * EVERY; k++) {
            recorded_step(&s, k);
        }
        CHECK_OK(adtape_heap_mark_check(h, &end));
        CHECK_OK(adtape_heap_begin_reverse(h));
        for (int k = (n + 1) * EVERY - 1; k >= n * EVERY; k--) {
            reverse_step(&s, k, &xb, 1);
        }
        end = saved[n].mark;
    }
    CHECK_OK(adtape_heap_end_reverse(h));
    return xb;
}

static void gradient_with_checkpoints_is_that_without(void) {
    const double x = 0.3, plain = gradient(x, 0), with_checkpoints = gradient(x, 1);
    double expected = 0; /* y is quadratic in x: dy/dx = 2 y / x */
    for (int k = 0; k < STEPS / 3; k++) {
        for (int i = 0; i < WIDTH; i++) {
            expected += 2 * x * (k + i) * (k + i);
        }
    }
    CHECK(plain - expected < 1e-9 * expected && expected - plain < 1e-9 * expected);
    CHECK_F64(with_checkpoints, plain);
    adtape_heap_stats_t stats;
    CHECK_OK(adtape_heap_stats(h, &stats));
    CHECK_U64(stats.blocks, 0);
    CHECK_U64(stats_of(t).bytes, 0);
}

static void what_is_no_snapshot_of_this_heap_is_refused(void) {
    adtape_heap_t *other = NULL;
    char bytes[4096] = {0};
    int64_t count = 0;
    CHECK_OK(adtape_heap_create(1, 1 << 30, &other));
    adtape_heap_alloc(h, t, 100);
    CHECK_OK(adtape_heap_save(h, NULL, 0, &count));
    CHECK(count <= (int64_t)sizeof bytes);
    CHECK_FAILS(adtape_heap_restore(h, bytes, sizeof bytes), ADTAPE_STATUS_DAMAGED, "no snapshot");
    CHECK_OK(adtape_heap_save(h, bytes, sizeof bytes, &count));
    CHECK_FAILS(adtape_heap_restore(other, bytes, count), ADTAPE_STATUS_HEAP_STATE, "of another heap");
    CHECK_FAILS(adtape_heap_restore(h, bytes, count - 1), ADTAPE_STATUS_DAMAGED, "no snapshot");
    CHECK_FAILS(adtape_heap_restore(h, bytes, -1), ADTAPE_STATUS_COUNT_RANGE, "negative");
    CHECK_FAILS(adtape_heap_restore(h, NULL, count), ADTAPE_STATUS_NULL_POINTER, "snapshot");
    CHECK_OK(adtape_heap_begin_reverse(h));
    adtape_heap_undo_alloc(h, t);
    CHECK_OK(adtape_heap_end_reverse(h));
    CHECK_OK(adtape_heap_destroy(other));
}

int main(void) {
    h = adtape_heap_self();
    t = adtape_self();
    mark_tells_whether_the_same_blocks_are_alive();
    gradient_with_checkpoints_is_that_without();
    what_is_no_snapshot_of_this_heap_is_refused();
    return 0;
}
