/* An adaptive mesh: blocks that are allocated and freed while stepping, 10^5 of them alive.
 *
 * Each block has 2 or 4 cells and a pointer to its right neighbour. A step moves each block's first cell towards its
 * neighbour's, then refines or coarsens every seventh block: a block of the other size takes its place, and the pointer of its
 * left neighbour is redirected. y = sum of the squares of all cells. */
#include "blocks.h"

typedef struct block {
    int32_t cells;
    struct block *right;
    double u[];
} block_t;

enum { STEPS = 6, EVERY = 7 };

static int adapts(int64_t i, int step) { return (i + step) % EVERY == 0; }
static size_t bytes_of(int cells) { return sizeof(block_t) + (size_t)cells * sizeof(double); }

/* The values of a block of another size: each cell once or twice, or the mean of two. */
static void interpolate(block_t *to, const block_t *from) {
    for (int k = 0; k < to->cells; k++) {
        to->u[k] = to->cells > from->cells ? from->u[k / 2] : 0.5 * (from->u[2 * k] + from->u[2 * k + 1]);
    }
}
static void interpolate_b(const block_t *to, block_t *tob, const block_t *from, block_t *fromb) {
    for (int k = 0; k < to->cells; k++) {
        if (to->cells > from->cells) {
            fromb->u[k / 2] += tob->u[k];
        } else {
            fromb->u[2 * k] += 0.5 * tob->u[k];
            fromb->u[2 * k + 1] += 0.5 * tob->u[k];
        }
    }
}

/* ---- the original, with malloc ----------------------------------------------------------------------- */

static double original(int64_t n, const double *x) {
    block_t **mesh = allocate(n, sizeof(block_t *));
    double y = 0.0;
    for (int64_t i = n - 1; i >= 0; i--) {
        mesh[i] = allocate(1, bytes_of(2));
        mesh[i]->cells = 2;
        mesh[i]->u[0] = x[i];
        mesh[i]->u[1] = 2.0 * x[i];
        mesh[i]->right = i < n - 1 ? mesh[i + 1] : NULL;
    }
    for (int step = 0; step < STEPS; step++) {
        for (int64_t i = 0; i < n - 1; i++) {
            mesh[i]->u[0] += 0.1 * sin(mesh[i]->u[0]) * mesh[i]->right->u[0];
        }
        for (int64_t i = 0; i < n; i++) {
            if (adapts(i, step)) {
                block_t *old = mesh[i], *p = allocate(1, bytes_of(6 - old->cells));
                p->cells = 6 - old->cells;
                p->right = old->right;
                interpolate(p, old);
                mesh[i] = p;
                if (i > 0) {
                    mesh[i - 1]->right = p;
                }
                free(old);
            }
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < mesh[i]->cells; k++) {
            y += mesh[i]->u[k] * mesh[i]->u[k];
        }
        free(mesh[i]);
    }
    free(mesh);
    return y;
}

/* ---- the forward sweep ------------------------------------------------------------------------------- */

/* Their blocks are alive at the reversal point. */
static block_t **mesh, **meshb;

static double forward_sweep(adtape_t *t, int64_t n, const double *x) {
    double y = 0.0;
    mesh = allocate(n, sizeof(block_t *));
    meshb = allocate(n, sizeof(block_t *));
    for (int64_t i = n - 1; i >= 0; i--) {
        mesh[i] = birth(t, bytes_of(2), "block");
        mesh[i]->cells = 2;
        mesh[i]->u[0] = x[i];
        mesh[i]->u[1] = 2.0 * x[i];
        mesh[i]->right = i < n - 1 ? mesh[i + 1] : NULL;
    }
    for (int step = 0; step < STEPS; step++) {
        for (int64_t i = 0; i < n - 1; i++) {
            adtape_push_f64(t, mesh[i]->u[0]);
            mesh[i]->u[0] += 0.1 * sin(mesh[i]->u[0]) * mesh[i]->right->u[0];
        }
        for (int64_t i = 0; i < n; i++) {
            if (adapts(i, step)) {
                block_t *old = mesh[i], *p = birth(t, bytes_of(6 - old->cells), "block");
                p->cells = 6 - old->cells;
                p->right = old->right;
                interpolate(p, old);
                push_pointer(t, mesh[i]);
                mesh[i] = p;
                if (i > 0) {
                    push_pointer(t, mesh[i - 1]->right);
                    mesh[i - 1]->right = p;
                }
                adtape_push_array_f64(t, old->u, old->cells);
                push_pointer(t, old->right);
                adtape_push_count(t, old->cells);
                death(t, old);
            }
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < mesh[i]->cells; k++) {
            y += mesh[i]->u[k] * mesh[i]->u[k];
        }
    }
    return y;
}

/* ---- the reverse sweep ------------------------------------------------------------------------------- */

static void pop_block(adtape_t *t, block_t **p, block_t **pb) { pop_pointer(t, (void **)p, (void **)pb); }

/* The adjoint pointers of what is alive: a tool keeps them beside the pointers from the start. */
static void point_adjoints(int64_t n) {
    for (int64_t i = n - 1; i >= 0; i--) {
        meshb[i] = adjoint_of(mesh[i]);
        meshb[i]->right = i < n - 1 ? meshb[i + 1] : NULL;
    }
}

static void adjoint(adtape_t *t, int64_t n, const double *x, double *xb) {
    (void)x;
    begin_reverse();
    point_adjoints(n);
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < mesh[i]->cells; k++) {
            meshb[i]->u[k] += 2.0 * mesh[i]->u[k];
        }
    }
    for (int step = STEPS - 1; step >= 0; step--) {
        for (int64_t i = n - 1; i >= 0; i--) {
            if (adapts(i, step)) {
                void *b;
                block_t *p = mesh[i], *pb = meshb[i], *old = rebirth(t, &b), *oldb = b;
                old->cells = (int32_t)adtape_pop_count(t);
                pop_block(t, &old->right, &oldb->right);
                adtape_pop_array_f64(t, old->u, old->cells);
                if (i > 0) {
                    pop_block(t, &mesh[i - 1]->right, &meshb[i - 1]->right);
                }
                pop_block(t, &mesh[i], &meshb[i]);
                interpolate_b(p, pb, mesh[i], meshb[i]);
                unborn(t, p);
            }
        }
        for (int64_t i = n - 2; i >= 0; i--) {
            block_t *p = mesh[i], *pb = meshb[i];
            const double ub = pb->u[0];
            adtape_pop_f64(t, &p->u[0]);
            pb->u[0] += 0.1 * cos(p->u[0]) * p->right->u[0] * ub;
            pb->right->u[0] += 0.1 * sin(p->u[0]) * ub;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        xb[i] += meshb[i]->u[0] + 2.0 * meshb[i]->u[1];
        unborn(t, mesh[i]);
    }
    free(mesh), free(meshb);
}

int main(int argc, char **argv) {
    static const program_t program = {original, forward_sweep, adjoint};
    argc = choose_memory(argc, argv);
    const int64_t n = argument(argc, argv, 1, 100000);
    double *x = allocate(n, sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        x[i] = 1.0 + noise(i);
    }
    report_count("blocks alive", (uint64_t)n);
    check_over_both(&program, n, x, 1e-5, 1e-8);
    free(x);
    return finish();
}
