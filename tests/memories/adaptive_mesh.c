/* An adaptive mesh on the stable heap: cells are refined where a front passes and coarsened behind it, in a linked list
 * that allocates and frees while it steps; 10^5 cells are alive.
 *
 * What it shows: pointers are restored by popping them, the adjoint of a cell is one addition away, and what was freed
 * is given back at once. The same adjoint over malloc gives the same gradient bit for bit, if it frees nothing before
 * the reverse sweep, so that addresses on the tape stay true, or if its pointers are translated by the maps.
 *
 *   adaptive_mesh [cells [steps]]       by default 80000 and 25 */
#include "blocks.h"

enum { MAX_LEVEL = 3 };

/* A cell of level l is 2^-l as wide as one of the first mesh, and has 4 + 4 l values. */
typedef struct cell {
    struct cell *next, *own_adjoint; /* the latter over malloc only */
    int64_t index;             /* of its place in a mesh that has its level everywhere */
    int32_t level, n;
    double u[];
} cell;

typedef struct {
    int64_t cells, steps;
    const double *x; /* one for each cell of the first mesh */
} model;

static const double dt = 0.3;

static int32_t values_of(int32_t level) { return 4 + 4 * level; }
static int64_t bytes_of(int32_t level) { return (int64_t)sizeof(cell) + 8 * values_of(level); }
static double width_of(const model *m, const cell *c) { return 1.0 / ((double)m->cells * (double)(1 << c->level)); }
static bool is_near(const model *m, const cell *c, int64_t k) {
    const double centre = ((double)c->index + 0.5) * width_of(m, c), front = 0.1 + 0.8 * (double)k / (double)m->steps;
    return fabs(centre - front) < 0.05;
}

/* ---- original code, with the adjoint's forward sweep in it ------------------------------------------ */

/* How it is run. */
typedef enum {
    PLAIN,   /* malloc and free; nothing is recorded */
    ON_HEAP, /* recorded, on the stable heap */
    KEEPING, /* recorded, with malloc; nothing is freed before the reverse sweep */
    MAPPED   /* recorded, with malloc and free of blocks.h; pointers are translated by the maps */
} mode;

static adtape_heap_t *h;
static adtape_t *t;
static int64_t allocations, alive, cells_alive, bytes_alive, most_alive;

static cell *new_cell(mode how, int32_t level, int64_t index) {
    const int64_t bytes = bytes_of(level);
    cell *c = (cell *)(how == ON_HEAP  ? adtape_heap_alloc(h, t, bytes)
                       : how == MAPPED ? birth(t, (size_t)bytes, "cell")
                                       : malloc((size_t)bytes));
    c->own_adjoint = how == KEEPING ? (cell *)calloc(1, (size_t)bytes) : NULL;
    c->next = NULL;
    c->index = index;
    c->level = level;
    c->n = values_of(level);
    allocations++;
    alive++;
    cells_alive = alive > cells_alive ? alive : cells_alive;
    bytes_alive += bytes;
    most_alive = bytes_alive > most_alive ? bytes_alive : most_alive;
    return c;
}
static void free_cell(mode how, cell *c) {
    if (how == KEEPING) {
        adtape_push_opaque(t, c);
        return;
    }
    alive--;
    bytes_alive -= bytes_of(c->level);
    if (how == ON_HEAP) {
        adtape_heap_free(h, t, c);
    } else if (how == MAPPED) {
        death(t, c);
    } else {
        free(c);
    }
}

/* A pointer that is about to be overwritten. */
static void push_cell(mode how, cell *c) {
    if (how == MAPPED) {
        push_pointer(t, c);
    } else {
        adtape_push_opaque(t, c);
    }
}

/* Which value of the parent the value j of its left (0) or right (1) child is. */
static int32_t source(const cell *parent, const cell *child, int right, int32_t j) {
    return (right * child->n + j) * parent->n / (2 * child->n);
}

/* Both children of a cell take its place. */
static cell *refine(mode how, cell *c) {
    cell *a = new_cell(how, c->level + 1, 2 * c->index), *b = new_cell(how, c->level + 1, 2 * c->index + 1);
    for (int32_t j = 0; j < a->n; j++) {
        a->u[j] = c->u[source(c, a, 0, j)];
        b->u[j] = c->u[source(c, b, 1, j)];
    }
    a->next = b;
    b->next = c->next;
    free_cell(how, c);
    return a;
}
/* Their parent takes the place of two neighbours. */
static cell *coarsen(mode how, cell *c, cell *d) {
    cell *p = new_cell(how, c->level - 1, c->index / 2);
    for (int32_t j = 0; j < p->n; j++) {
        p->u[j] = 0;
    }
    const double share = (double)p->n / (2 * c->n);
    for (int32_t j = 0; j < c->n; j++) {
        p->u[source(p, c, 0, j)] += share * c->u[j];
        p->u[source(p, d, 1, j)] += share * d->u[j];
    }
    p->next = d->next;
    free_cell(how, c);
    free_cell(how, d);
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

static void adapt(mode how, const model *m, cell **head, int64_t k) {
    cell *before = NULL; /* the cell in front of the present one */
    int64_t count = 0;
    for (cell *c = *head; c != NULL; count++) {
        const int branch = what_to_do(m, c, k);
        cell *here = c, *last = c;
        if (branch == REFINE) {
            here = refine(how, c);
            last = here->next;
        } else if (branch == COARSEN) {
            here = last = coarsen(how, c, c->next);
        }
        if (how != PLAIN) {
            push_cell(how, before);
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
    if (how != PLAIN) {
        adtape_push_count(t, count);
    }
}

/* u(j) = u(j) - dt u(j) (u(j) - u(j-1)), along the list. */
static void evolve(mode how, cell *head) {
    double left = 1.0;
    int64_t count = 0;
    for (cell *c = head; c != NULL; c = c->next, count++) {
        const double last = c->u[c->n - 1];
        if (how != PLAIN) {
            adtape_push_array_f64(t, c->u, c->n);
            adtape_push_f64(t, left);
            push_cell(how, c);
        }
        for (int32_t j = c->n - 1; j >= 1; j--) {
            c->u[j] = c->u[j] - dt * c->u[j] * (c->u[j] - c->u[j - 1]);
        }
        c->u[0] = c->u[0] - dt * c->u[0] * (c->u[0] - left);
        left = last;
    }
    if (how != PLAIN) {
        adtape_push_count(t, count);
    }
}

/* The forward sweep: y, the integral of the square of u at the end. */
static double forward(mode how, const model *m, cell **head) {
    cell *last = NULL;
    double y = 0;
    *head = NULL;
    for (int64_t i = 0; i < m->cells; i++) {
        cell *c = new_cell(how, 0, i);
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
        adapt(how, m, head, k);
        evolve(how, *head);
    }
    for (const cell *c = *head; c != NULL; c = c->next) {
        for (int32_t j = 0; j < c->n; j++) {
            y += width_of(m, c) / c->n * c->u[j] * c->u[j];
        }
    }
    return y;
}

/* ---- reverse sweep ------------------------------------------------------------------------------ */

/* The adjoint of a cell. */
static cell *adjoint(mode how, cell *c) {
    return how == ON_HEAP ? (cell *)adtape_heap_adjoint(h, c) : c->own_adjoint;
}
/* The last cell that was made goes. */
static void undo_new_cell(mode how, cell *c) {
    if (how == ON_HEAP) {
        adtape_heap_undo_alloc(h, t);
    } else if (how == MAPPED) {
        unborn(t, c);
    } else {
        free(c->own_adjoint);
        free(c);
    }
}
/* The last cell that was freed comes back: where it was on the heap, elsewhere by the maps; else it never went. */
static cell *undo_free_cell(mode how) {
    void *p, *b;
    if (how == ON_HEAP) {
        return (cell *)adtape_heap_undo_free(h, t);
    }
    if (how == MAPPED) {
        cell *c = (cell *)rebirth(t, &b);
        c->own_adjoint = (cell *)b;
        return c;
    }
    adtape_pop_opaque(t, &p);
    return (cell *)p;
}
static cell *pop_cell(mode how) {
    void *p, *b;
    if (how == MAPPED) {
        pop_pointer(t, &p, &b);
    } else {
        adtape_pop_opaque(t, &p);
    }
    return (cell *)p;
}

/* What a cell held beside its values is determined by what took its place; its values are on the tape. */
static void describe(cell *c, int32_t level, int64_t index, cell *next) {
    c->level = level;
    c->n = values_of(level);
    c->index = index;
    c->next = next;
}

static cell *refine_b(mode how, cell *a) {
    cell *c = undo_free_cell(how), *b = a->next;
    describe(c, a->level - 1, a->index / 2, b->next);
    cell *ab = adjoint(how, a), *bb = adjoint(how, b), *cb = adjoint(how, c);
    for (int32_t j = a->n - 1; j >= 0; j--) {
        cb->u[source(c, b, 1, j)] += bb->u[j];
        cb->u[source(c, a, 0, j)] += ab->u[j];
    }
    undo_new_cell(how, b);
    undo_new_cell(how, a);
    return c;
}
static cell *coarsen_b(mode how, cell *p) {
    cell *d = undo_free_cell(how), *c = undo_free_cell(how);
    describe(d, p->level + 1, 2 * p->index + 1, p->next);
    describe(c, p->level + 1, 2 * p->index, d);
    const cell *pb = adjoint(how, p);
    cell *cb = adjoint(how, c), *db = adjoint(how, d);
    const double share = (double)p->n / (2 * c->n);
    for (int32_t j = c->n - 1; j >= 0; j--) {
        db->u[j] += share * pb->u[source(p, d, 1, j)];
        cb->u[j] += share * pb->u[source(p, c, 0, j)];
    }
    undo_new_cell(how, p);
    return c;
}

static void adapt_b(mode how, cell **head) {
    for (int64_t count = adtape_pop_count(t); count > 0; count--) {
        const int branch = (int)adtape_pop_control(t, 2);
        cell *before = pop_cell(how), *here = before == NULL ? *head : before->next;
        if (branch == REFINE) {
            here = refine_b(how, here);
        } else if (branch == COARSEN) {
            here = coarsen_b(how, here);
        }
        if (before == NULL) {
            *head = here;
        } else {
            before->next = here;
        }
    }
}

static void evolve_b(mode how) {
    double leftb = 0, left;
    for (int64_t count = adtape_pop_count(t); count > 0; count--) {
        cell *c = pop_cell(how), *cb = adjoint(how, c);
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

static void reverse(mode how, const model *m, cell *head, double *xb) {
    cell **first = (cell **)allocate(m->cells, sizeof *first);
    for (cell *c = head; c != NULL; c = c->next) {
        cell *cb = adjoint(how, c);
        for (int32_t j = 0; j < c->n; j++) {
            cb->u[j] = 2 * width_of(m, c) / c->n * c->u[j];
        }
    }
    for (int64_t k = m->steps - 1; k >= 0; k--) {
        evolve_b(how);
        adapt_b(how, &head);
    }
    int64_t i = 0;
    for (cell *c = head; c != NULL; c = c->next) {
        first[i++] = c;
    }
    for (i = m->cells - 1; i >= 0; i--) {
        const cell *cb = adjoint(how, first[i]);
        xb[i] = 0;
        for (int32_t j = 0; j < values_of(0); j++) {
            xb[i] += 0.1 * cb->u[j];
        }
        undo_new_cell(how, first[i]);
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

static double value(const model *m) {
    cell *head;
    const double y = forward(PLAIN, m, &head);
    drop(head);
    return y;
}

/* Along one direction, against central differences of the plain program. */
static void check_by_differences(const model *m, const double *xb) {
    const double step = 1e-4;
    double *moved = (double *)allocate(m->cells, sizeof *moved), y[2], derivative = 0, scale = 0;
    for (int side = 0; side < 2; side++) {
        for (int64_t i = 0; i < m->cells; i++) {
            moved[i] = m->x[i] + (side == 0 ? step : -step) * noise(i + 77);
        }
        y[side] = value(&(model){m->cells, m->steps, moved});
    }
    for (int64_t i = 0; i < m->cells; i++) {
        derivative += xb[i] * noise(i + 77);
        scale += fabs(xb[i] * noise(i + 77));
    }
    check_close("gradient against central differences", derivative, (y[0] - y[1]) / (2 * step), scale, 1e-7);
    free(moved);
}

/* A gradient; the seconds that it takes. */
static double gradient(mode how, const model *m, double *xb, double *y) {
    cell *head;
    const double start = seconds();
    allocations = alive = cells_alive = bytes_alive = most_alive = 0;
    *y = forward(how, m, &head);
    if (how == ON_HEAP) {
        expect_ok(adtape_heap_begin_reverse(h));
    } else if (how == MAPPED) {
        begin_reverse();
        for (cell *c = head; c != NULL; c = c->next) {
            c->own_adjoint = (cell *)adjoint_of(c);
        }
    }
    reverse(how, m, head, xb);
    if (how == ON_HEAP) {
        expect_ok(adtape_heap_end_reverse(h));
    }
    return seconds() - start;
}

int main(int argc, char **argv) {
    argc = choose_memory(argc, argv);
    model m = {argument(argc, argv, 1, 80000), argument(argc, argv, 2, 25), NULL};
    double *x = (double *)allocate(m.cells, sizeof *x), *xb[3], y[4], took[2];
    adtape_heap_stats_t stats;
    int64_t kept, on_heap;
    t = adtape_self();
    h = adtape_heap_self();
    for (int64_t i = 0; i < m.cells; i++) {
        x[i] = noise(i);
    }
    m.x = x;
    for (int i = 0; i < 3; i++) {
        xb[i] = (double *)allocate(m.cells, sizeof **xb);
    }

    y[0] = value(&m);
    took[0] = took[1] = 1e30;
    for (int repetition = 0; repetition < 3; repetition++) {
        took[0] = fmin(took[0], gradient(ON_HEAP, &m, xb[0], &y[1]));
    }
    check_tape_empty("bytes on the tape after the adjoint on the heap", t);
    expect_ok(adtape_heap_stats(h, &stats));
    check_count("cells alive after it", stats.blocks, 0);
    report_count("cells made", (uint64_t)allocations);
    on_heap = cells_alive;
    for (int repetition = 0; repetition < 3; repetition++) {
        took[1] = fmin(took[1], gradient(KEEPING, &m, xb[1], &y[2]));
    }
    kept = most_alive;
    check_tape_empty("bytes on the tape after the adjoint over malloc", t);
    check_same_bits("the forward sweep on the heap computes what the original computes", &y[1], &y[0], 1);
    check_same_bits("both gradients are equal bit for bit", xb[0], xb[1], m.cells);
    check_by_differences(&m, xb[0]);
    printf("-- with pointers translated by the maps\n");
    gradient(MAPPED, &m, xb[2], &y[3]);
    check_blocks(t);
    check_same_bits("the forward sweep computes what the original computes", &y[3], &y[0], 1);
    check_same_bits("the gradient is that of the heap bit for bit", xb[2], xb[0], m.cells);
    report_count("most cells alive", (uint64_t)on_heap);
    report_count("most bytes of cells alive on the heap", stats.peak_bytes);
    report_count("most bytes of cells kept over malloc", (uint64_t)kept);
    report_real("seconds on the heap", took[0]);
    report_real("seconds over malloc, nothing freed", took[1]);
    report_real("ratio of times", took[0] / took[1]);
    free(x), free(xb[0]), free(xb[1]), free(xb[2]);
    return finish();
}
