/* An adjoint of a program with malloc, free and pointers, written as generated ones are: its gradient is that of finite
 * differences, wherever the blocks of the two sweeps lie.
 *
 *   blocks              under allocators that give an address again at once, and never, in either sweep
 *
 * The program: a list of cells, whose pointers lead from one to the next; an array, in which a pointer marches to its end
 * and back; indices, which have no adjoint. All are made and freed in each time step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "addresses.h"
#include "check.h"

void pushReal8(double x);
void popReal8(double *x);
void pushReal8Array(double *x, int n);
void popReal8Array(double *x, int n);
void pushInteger4(int x);
void popInteger4(int *x);
void pushInteger4Array(int *x, int n);
void popInteger4Array(int *x, int n);
void pushPointer8(void *x);
void popPointer8(void **x);
uint64_t adStack_getCurrentStackSize(void);

/* ---- allocators ---------------------------------------------------------------------------------- */

/* Free blocks of a size, the last one first; `fresh`: they are not used again. */
enum { ROOM = 1 << 24, SIZES = 64, UNIT = 16 };
static char *arena;
static size_t arena_used;
static void *freed[SIZES];
static int fresh, fresh_in_reverse, blocks_alive;

static void *take(size_t bytes) {
    const size_t units = (bytes + UNIT - 1) / UNIT;
    void *block = freed[units];
    check(units < SIZES, "a block of a size that the test provides for");
    if (fresh || block == NULL) {
        check(arena_used + units * UNIT <= ROOM, "room for the blocks");
        block = arena + arena_used;
        arena_used += units * UNIT;
    } else {
        memcpy(&freed[units], block, sizeof block);
    }
    memset(block, 0xDB, bytes);
    blocks_alive++;
    return block;
}
static void give(void *block, size_t bytes) {
    const size_t units = (bytes + UNIT - 1) / UNIT;
    memset(block, 0xDB, bytes);
    memcpy(block, &freed[units], sizeof block);
    freed[units] = block;
    blocks_alive--;
}

/* ---- the program --------------------------------------------------------------------------------- */

typedef struct cell {
    double v, w;
    struct cell *next;
} cell_t;

enum { N = 12, STEPS = 5 };

static void model(double *x, double *y) {
    cell_t *head, *c, *old;
    double *a, *p, s = 0;
    int *index, *q;
    *y = 0;
    for (int k = 0; k < STEPS; k++) {
        head = NULL;
        for (int i = 0; i < N; i++) {
            c = (cell_t *)take(sizeof *c);
            c->v = x[i] * x[i] + s;
            c->w = 0;
            c->next = head;
            head = c;
        }
        s = 0;
        for (c = head; c != NULL; c = c->next) {
            c->w = sin(c->v) * c->v;
            s = s + c->w * c->w;
        }
        index = (int *)take(N * sizeof *index);
        for (int i = 0; i < N; i++) {
            index[i] = (i * 5 + k) % N;
        }
        a = (double *)take(N * sizeof *a);
        p = a;
        for (q = index; q != index + N; q++) {
            *p = x[*q] * s;
            p = p + 1;
        }
        while (p != a) {
            p = p - 1;
            s = s + 0.01 * *p * *p;
        }
        give(a, N * sizeof *a);
        give(index, N * sizeof *index);
        while (head != NULL) {
            old = head;
            head = head->next;
            x[0] = x[0] + 0.01 * old->w * sin(s);
            give(old, sizeof *old);
        }
        *y = *y + sin(s);
    }
}

/* ---- its adjoint --------------------------------------------------------------------------------- */

static void push_pointers(void *p, void *pb) {
    pushPointer8(p);
    pushPointer8(pb);
}
static void pop_pointers(void *pp, void *ppb) {
    popPointer8((void **)ppb);
    popPointer8((void **)pp);
    ADMM_rebaseShadowed((void **)pp, (void **)ppb);
}

static void model_b(double *x, double *xb, double *y, double *yb) {
    cell_t *head = NULL, *headb = NULL, *c = NULL, *cb = NULL, *old = NULL, *oldb = NULL;
    double *a = NULL, *ab = NULL, *p = NULL, *pb = NULL, s = 0, sb = 0;
    int *index = NULL, *q = NULL, n = 0, count;
    void *then, *thenb;
    *y = 0;
    for (int k = 0; k < STEPS; k++) {
        push_pointers(head, headb);
        head = NULL;
        headb = NULL;
        for (int i = 0; i < N; i++) {
            push_pointers(c, cb);
            c = (cell_t *)take(sizeof *c);
            cb = (cell_t *)take(sizeof *cb);
            memset(cb, 0, sizeof *cb);
            REGISTER_SHADOWED(c, NULL, SIZE(sizeof *c), cb, NULL, NULL, SIZE(sizeof *cb), 1);
            c->v = x[i] * x[i] + s;
            c->w = 0;
            c->next = head;
            cb->next = headb;
            push_pointers(head, headb);
            head = c;
            headb = cb;
        }
        pushReal8(s);
        s = 0;
        push_pointers(c, cb);
        count = 0;
        for (c = head, cb = headb; c != NULL; count++) {
            pushReal8(c->w);
            c->w = sin(c->v) * c->v;
            s = s + c->w * c->w;
            push_pointers(c, cb);
            cb = cb->next;
            c = c->next;
        }
        pushInteger4(count);
        pushPointer8(index);
        index = (int *)take(N * sizeof *index);
        REGISTER(index, NULL, NULL, SIZE(N * sizeof *index), N);
        for (int i = 0; i < N; i++) {
            index[i] = (i * 5 + k) % N;
        }
        push_pointers(a, ab);
        a = (double *)take(N * sizeof *a);
        ab = (double *)take(N * sizeof *ab);
        memset(ab, 0, N * sizeof *ab);
        REGISTER_SHADOWED(a, NULL, SIZE(N * sizeof *a), ab, NULL, NULL, SIZE(N * sizeof *ab), N);
        push_pointers(p, pb);
        p = a;
        pb = ab;
        pushPointer8(q);
        for (q = index; q != index + N; q++) {
            *p = x[*q] * s;
            push_pointers(p, pb);
            pb = pb + 1;
            p = p + 1;
            pushPointer8(q);
        }
        for (count = 0; p != a; count++) {
            push_pointers(p, pb);
            pb = pb - 1;
            p = p - 1;
            pushReal8(s);
            s = s + 0.01 * *p * *p;
        }
        pushInteger4(count);
        push_pointers(p, pb);
        ADMM_unregisterShadowed(a, ab, &n);
        pushReal8Array(a, N);
        push_pointers(a, ab);
        pushInteger4(n);
        give(a, N * sizeof *a);
        give(ab, N * sizeof *ab);
        ADMM_unregister(index, &n);
        pushInteger4Array(index, N);
        pushPointer8(index);
        pushInteger4(n);
        give(index, N * sizeof *index);
        for (count = 0; head != NULL; count++) {
            push_pointers(old, oldb);
            old = head;
            oldb = headb;
            push_pointers(head, headb);
            headb = headb->next;
            head = head->next;
            pushReal8(x[0]);
            x[0] = x[0] + 0.01 * old->w * sin(s);
            ADMM_unregisterShadowed(old, oldb, &n);
            pushReal8(old->v);
            pushReal8(old->w);
            push_pointers(old->next, oldb->next);
            push_pointers(old, oldb);
            pushInteger4(n);
            give(old, sizeof *old);
            give(oldb, sizeof *oldb);
        }
        pushInteger4(count);
        *y = *y + sin(s);
    }
    fresh = fresh_in_reverse;
    for (int k = STEPS - 1; k >= 0; k--) {
        sb = sb + cos(s) * *yb;
        popInteger4(&count);
        for (int i = 0; i < count; i++) {
            popInteger4(&n);
            popPointer8(&thenb);
            popPointer8(&then);
            old = (cell_t *)take((size_t)n * sizeof *old);
            oldb = (cell_t *)take((size_t)n * sizeof *oldb);
            REGISTER_SHADOWED(old, then, SIZE(sizeof *old), oldb, NULL, thenb, SIZE(sizeof *oldb), n);
            pop_pointers(&old->next, &oldb->next);
            popReal8(&old->w);
            popReal8(&old->v);
            oldb->v = 0;
            oldb->w = 0;
            popReal8(&x[0]);
            oldb->w = oldb->w + 0.01 * sin(s) * xb[0];
            sb = sb + 0.01 * old->w * cos(s) * xb[0];
            pop_pointers(&head, &headb);
            pop_pointers(&old, &oldb);
        }
        popInteger4(&n);
        popPointer8(&then);
        index = (int *)take((size_t)n * sizeof *index);
        REGISTER(index, NULL, then, SIZE((size_t)n * sizeof *index), n);
        popInteger4Array(index, n);
        popInteger4(&n);
        popPointer8(&thenb);
        popPointer8(&then);
        a = (double *)take((size_t)n * sizeof *a);
        ab = (double *)take((size_t)n * sizeof *ab);
        memset(ab, 0, (size_t)n * sizeof *ab);
        REGISTER_SHADOWED(a, then, SIZE((size_t)n * sizeof *a), ab, NULL, thenb, SIZE((size_t)n * sizeof *ab), n);
        popReal8Array(a, n);
        pop_pointers(&p, &pb);
        popInteger4(&count);
        for (int i = 0; i < count; i++) {
            popReal8(&s);
            *pb = *pb + 0.01 * 2 * *p * sb;
            pop_pointers(&p, &pb);
        }
        for (int i = 0; i < N; i++) {
            popPointer8((void **)&q);
            ADMM_rebase((void **)&q);
            pop_pointers(&p, &pb);
            xb[*q] = xb[*q] + s * *pb;
            sb = sb + x[*q] * *pb;
            *pb = 0;
        }
        popPointer8((void **)&q);
        ADMM_rebase((void **)&q);
        pop_pointers(&p, &pb);
        ADMM_unregisterShadowed(a, ab, &n);
        give(a, (size_t)n * sizeof *a);
        give(ab, (size_t)n * sizeof *ab);
        pop_pointers(&a, &ab);
        ADMM_unregister(index, &n);
        give(index, (size_t)n * sizeof *index);
        popPointer8((void **)&index);
        ADMM_rebase((void **)&index);
        popInteger4(&count);
        for (int i = 0; i < count; i++) {
            pop_pointers(&c, &cb);
            cb->w = cb->w + 2 * c->w * sb;
            popReal8(&c->w);
            cb->v = cb->v + (cos(c->v) * c->v + sin(c->v)) * cb->w;
            cb->w = 0;
        }
        pop_pointers(&c, &cb);
        sb = 0;
        popReal8(&s);
        for (int i = N - 1; i >= 0; i--) {
            pop_pointers(&head, &headb);
            xb[i] = xb[i] + 2 * x[i] * cb->v;
            sb = sb + cb->v;
            ADMM_unregisterShadowed(c, cb, &n);
            give(c, (size_t)n * sizeof *c);
            give(cb, (size_t)n * sizeof *cb);
            pop_pointers(&c, &cb);
        }
        pop_pointers(&head, &headb);
    }
    *yb = 0;
}

/* ---- the gradient -------------------------------------------------------------------------------- */

static void start(double *x) {
    for (int i = 0; i < N; i++) {
        x[i] = 0.3 + 0.05 * i - 0.01 * i * i;
    }
}

int main(void) {
    arena = (char *)malloc(ROOM);
    check(arena != NULL, "memory for the blocks");
    for (int allocators = 0; allocators < 4; allocators++) {
        double x[N], xb[N] = {0}, y, yb = 1, y_alone;
        start(x);
        fresh = 0;
        model(x, &y_alone);
        start(x);
        fresh = allocators % 2;
        fresh_in_reverse = allocators / 2;
        model_b(x, xb, &y, &yb);
        check(y == y_alone, "the forward sweep computes what the program does");
        check(blocks_alive == 0 && adStack_getCurrentStackSize() == 0, "all blocks are freed, and all values popped");
        fresh = 0;
        for (int i = 0; i < N; i++) {
            const double h = 1e-6;
            double above, below;
            start(x);
            x[i] += h;
            model(x, &above);
            start(x);
            x[i] -= h;
            model(x, &below);
            const double difference = (above - below) / (2 * h);
            check(fabs(difference - xb[i]) <= 1e-7 * (1 + fabs(difference)), "the gradient is that of finite differences");
        }
    }
    free(arena);
    return 0;
}
