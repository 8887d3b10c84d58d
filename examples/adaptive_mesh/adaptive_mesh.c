/* An adaptive mesh on the stable heap: cells are refined where a front passes and coarsened behind it, in a linked list
 * that allocates and frees while it steps; 10^5 cells are alive.
 *
 * What it shows: pointers are restored by popping them, the adjoint of a cell is one addition away, and what was freed
 * is given back at once.
 *
 *   adaptive_mesh [cells [steps]]       by default 80000 and 25 */
#include "../common/example.h"

enum { MAX_LEVEL = 3 };

/* A cell of level l is 2^-l as wide as one of the first mesh, and has 4 + 4 l values. */
typedef struct cell {
    struct cell *next;
    int64_t index; /* of its place in a mesh that has its level everywhere */
    int32_t level, n;
    double u[];
} cell;

typedef struct {
    int64_t cells, steps;
    const double *x; /* one for each cell of the first mesh */
} model;

static const double dt = 0.3;
static int64_t steps_of_all;

static int32_t values_of(int32_t level) { return 4 + 4 * level; }
static int64_t bytes_of(int32_t level) { return (int64_t)sizeof(cell) + 8 * values_of(level); }
static double width_of(const model *m, const cell *c) { return 1.0 / ((double)m->cells * (double)(1 << c->level)); }
static bool is_near(const model *m, const cell *c, int64_t k) {
    const double centre = ((double)c->index + 0.5) * width_of(m, c), front = 0.1 + 0.8 * (double)k / (double)m->steps;
    return fabs(centre - front) < 0.05;
}

/* ---- original code, with the adjoint's forward sweep in it ------------------------------------------ */

static adtape_heap_t *h;
static adtape_t *t;
static bool recorded; /* else with malloc and free, as the original */

static cell *new_cell(int32_t level, int64_t index) {
    const int64_t bytes = bytes_of(level);
    cell *c = recorded ? adtape_heap_alloc(h, t, bytes) : malloc((size_t)bytes);
    c->next = NULL;
    c->index = index;
    c->level = level;
    c->n = values_of(level);
    return c;
}
static void free_cell(cell *c) {
    if (recorded) {
        adtape_heap_free(h, t, c);
    } else {
        free(c);
    }
}

/* Which value of the parent the value j of its left (0) or right (1) child is. */
static int32_t source(const cell *parent, const cell *child, int right, int32_t j) {
    return (right * child->n + j) * parent->n / (2 * child->n);
}

/* Both children of a cell take its place. */
static cell *refine(cell *c) {
    cell *a = new_cell(c->level + 1, 2 * c->index), *b = new_cell(c->level + 1, 2 * c->index + 1);
    for (int32_t j = 0; j < a->n; j++) {
        a->u[j] = c->u[source(c, a, 0, j)];
        b->u[j] = c->u[source(c, b, 1, j)];
    }
    a->next = b;
    b->next = c->next;
    free_cell(c);
    return a;
}
/* Their parent takes the place of two neighbours. */
static cell *coarsen(cell *c, cell *d) {
    cell *p = new_cell(c->level - 1, c->index / 2);
    for (int32_t j = 0; j < p->n; j++) {
        p->u[j] = 0;
    }
    const double share = (double)p->n / (2 * c->n);
    for (int32_t j = 0; j < c->n; j++) {
        p->u[source(p, c, 0, j)] += share * c->u[j];
        p->u[source(p, d, 1, j)] += share * d->u[j];
    }
    p->next = d->next;
    free_cell(c);
    free_cell(d);
    return p;
}

enum { KEEP, REFINE, COARSEN };
static int what_to_do(const model *m, const cell *c, int64_t k) {
    if (is_near(m, c, k)) {
        return c->level < MAX_LEVEL ? REFINE : KEEP;
    }
    const bool siblings = c->level > 0 && c->index % 2 == 0 && c->next != NULL && c->next->level == c->level;
    return siblings && !is_near(m, c->next, k) ? COARSEN : KEEP;
}

static void adapt(const model *m, cell **head, int64_t k) {
    cell *before = NULL; /* the cell in front of the present one */
    int64_t count = 0;
    for (cell *c = *head; c != NULL; count++) {
        const int branch = what_to_do(m, c, k);
        cell *here = c, *last = c;
        if (branch == REFINE) {
            here = refine(c);
            last = here->next;
        } else if (branch == COARSEN) {
            here = last = coarsen(c, c->next);
        }
        if (recorded) {
            adtape_push_opaque(t, before);
            adtape_push_control(t, (uint64_t)branch, 2);
        }
        if (before == NULL) {
            *head = here;
        } else {
            before->next = here;
        }
        before = last;
        c = last->next;
    }
    if (recorded) {
        adtape_push_count(t, count);
    }
}

/* u(j) = u(j) - dt u(j) (u(j) - u(j-1)), along the list. */
static void evolve(cell *head) {
    double left = 1.0;
    int64_t count = 0;
    for (cell *c = head; c != NULL; c = c->next, count++) {
        const double last = c->u[c->n - 1];
        if (recorded) {
            adtape_push_array_f64(t, c->u, c->n);
            adtape_push_f64(t, left);
            adtape_push_opaque(t, c);
        }
        for (int32_t j = c->n - 1; j >= 1; j--) {
            c->u[j] = c->u[j] - dt * c->u[j] * (c->u[j] - c->u[j - 1]);
        }
        c->u[0] = c->u[0] - dt * c->u[0] * (c->u[0] - left);
        left = last;
    }
    if (recorded) {
        adtape_push_count(t, count);
    }
}

/* The forward sweep: y, the integral of the square of u at the end. */
static double forward(const model *m, cell **head) {
    cell *last = NULL;
    double y = 0;
    *head = NULL;
    for (int64_t i = 0; i < m->cells; i++) {
        cell *c = new_cell(0, i);
        for (int32_t j = 0; j < c->n; j++) {
            c->u[j] = 1 + 0.1 * m->x[i] + 0.01 * noise(4 * i + j);
        }
        if (last == NULL) {
            *head = c;
        } else {
            last->next = c;
        }
        last = c;
    }
    for (int64_t k = 0; k < m->steps; k++) {
        adapt(m, head, k);
        evolve(*head);
    }
    for (const cell *c = *head; c != NULL; c = c->next) {
        for (int32_t j = 0; j < c->n; j++) {
            y += width_of(m, c) / c->n * c->u[j] * c->u[j];
        }
    }
    return y;
}

/* ---- reverse sweep ------------------------------------------------------------------------------ */

static cell *adjoint(cell *c) { return adtape_heap_adjoint(h, c); }

/* A pointer is the address that it was. */
static cell *pop_cell(void) {
    void *p;
    adtape_pop_opaque(t, &p);
    return p;
}

/* What a cell held beside its values is determined by what took its place; its values are on the tape. */
static void describe(cell *c, int32_t level, int64_t index, cell *next) {
    c->level = level;
    c->n = values_of(level);
    c->index = index;
    c->next = next;
}

static cell *refine_b(cell *a) {
    cell *c = adtape_heap_undo_free(h, t), *b = a->next;
    describe(c, a->level - 1, a->index / 2, b->next);
    cell *ab = adjoint(a), *bb = adjoint(b), *cb = adjoint(c);
    for (int32_t j = a->n - 1; j >= 0; j--) {
        cb->u[source(c, b, 1, j)] += bb->u[j];
        cb->u[source(c, a, 0, j)] += ab->u[j];
    }
    adtape_heap_undo_alloc(h, t);
    adtape_heap_undo_alloc(h, t);
    return c;
}
static cell *coarsen_b(cell *p) {
    cell *d = adtape_heap_undo_free(h, t), *c = adtape_heap_undo_free(h, t);
    describe(d, p->level + 1, 2 * p->index + 1, p->next);
    describe(c, p->level + 1, 2 * p->index, d);
    const cell *pb = adjoint(p);
    cell *cb = adjoint(c), *db = adjoint(d);
    const double share = (double)p->n / (2 * c->n);
    for (int32_t j = c->n - 1; j >= 0; j--) {
        db->u[j] += share * pb->u[source(p, d, 1, j)];
        cb->u[j] += share * pb->u[source(p, c, 0, j)];
    }
    adtape_heap_undo_alloc(h, t);
    return c;
}

static void adapt_b(cell **head) {
    for (int64_t count = adtape_pop_count(t); count > 0; count--) {
        const int branch = (int)adtape_pop_control(t, 2);
        cell *before = pop_cell(), *here = before == NULL ? *head : before->next;
        if (branch == REFINE) {
            here = refine_b(here);
        } else if (branch == COARSEN) {
            here = coarsen_b(here);
        }
        if (before == NULL) {
            *head = here;
        } else {
            before->next = here;
        }
    }
}

static void evolve_b(void) {
    double leftb = 0, left;
    for (int64_t count = adtape_pop_count(t); count > 0; count--) {
        cell *c = pop_cell(), *cb = adjoint(c);
        adtape_pop_f64(t, &left);
        adtape_pop_array_f64(t, c->u, c->n);
        const double lastb = leftb;
        leftb = dt * c->u[0] * cb->u[0];
        cb->u[0] = (1 - dt * (2 * c->u[0] - left)) * cb->u[0];
        for (int32_t j = 1; j < c->n; j++) {
            cb->u[j - 1] += dt * c->u[j] * cb->u[j];
            cb->u[j] = (1 - dt * (2 * c->u[j] - c->u[j - 1])) * cb->u[j];
        }
        cb->u[c->n - 1] += lastb;
    }
}

static void reverse(const model *m, cell *head, double *xb) {
    cell **first = allocate(m->cells, sizeof *first);
    for (cell *c = head; c != NULL; c = c->next) {
        cell *cb = adjoint(c);
        for (int32_t j = 0; j < c->n; j++) {
            cb->u[j] = 2 * width_of(m, c) / c->n * c->u[j];
        }
    }
    for (int64_t k = m->steps - 1; k >= 0; k--) {
        evolve_b();
        adapt_b(&head);
    }
    int64_t i = 0;
    for (cell *c = head; c != NULL; c = c->next) {
        first[i++] = c;
    }
    for (i = m->cells - 1; i >= 0; i--) {
        const cell *cb = adjoint(first[i]);
        xb[i] = 0;
        for (int32_t j = 0; j < values_of(0); j++) {
            xb[i] += 0.1 * cb->u[j];
        }
        adtape_heap_undo_alloc(h, t);
    }
    free(first);
}

/* ---- checks ------------------------------------------------------------------------------------- */

static void drop(cell *head) {
    while (head != NULL) {
        cell *next = head->next;
        free(head);
        head = next;
    }
}

static double original(int64_t cells, const double *x) {
    const model m = {cells, steps_of_all, x};
    cell *head;
    double y;
    recorded = false;
    y = forward(&m, &head);
    drop(head);
    return y;
}

int main(int argc, char **argv) {
    const int64_t cells = argument(argc, argv, 1, 80000);
    double *x = allocate(cells, sizeof *x), *xb = allocate(cells, sizeof *xb), y, plain;
    adtape_heap_stats_t stats;
    cell *head;
    steps_of_all = argument(argc, argv, 2, 25);
    t = adtape_self();
    h = adtape_heap_self();
    for (int64_t i = 0; i < cells; i++) {
        x[i] = noise(i);
    }
    const model m = {cells, steps_of_all, x};
    recorded = true;
    y = forward(&m, &head);
    report_count("tape bytes", tape_bytes(t));
    expect_ok(adtape_heap_begin_reverse(h));
    reverse(&m, head, xb);
    expect_ok(adtape_heap_end_reverse(h));
    plain = original(cells, x);
    check_same_bits("the forward sweep computes what the original computes", &y, &plain, 1);
    check_nothing_left(t);
    expect_ok(adtape_heap_stats(h, &stats));
    check_count("cells alive after it", (uint64_t)stats.blocks, 0);
    report_count("most bytes of cells alive", (uint64_t)stats.peak_bytes);
    check_against_function(original, cells, x, xb, 1e-6);
    free(x), free(xb);
    return finish();
}
