/* A sparse matrix that grows by realloc while it is assembled, on the stable heap.
 *
 * y = x' A x, with the entries of A functions of x. A pointer to the row's first entry is kept while the row is
 * assembled, and moves along when the array does. On the stable heap the array has its old address again when the realloc
 * is undone: pointers are pushed and popped as they are. */
#include "../common/example.h"

enum { ROW = 7 };

static int64_t column(int64_t n, int64_t i, int j) { return (i * (j + 1) + 3 * j) % n; }

/* ---- the original ---------------------------------------------------------------------------------- */

static double original(int64_t n, const double *x) {
    double *a = allocate(4, sizeof *a), *row, y = 0.0;
    int64_t room = 4, used = 0;
    for (int64_t i = 0; i < n; i++) {
        row = a + used;
        for (int j = 0; j < ROW; j++) {
            if (used == room) {
                const int64_t start = row - a;
                room *= 2;
                a = realloc(a, (size_t)room * sizeof *a);
                row = a + start;
            }
            a[used++] = sin(x[i] * (j + 1)) + (j > 0 ? row[0] : 0.0);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int j = 0; j < ROW; j++) {
            y += x[i] * a[i * ROW + j] * x[column(n, i, j)];
        }
    }
    free(a);
    return y;
}

/* ---- the forward sweep ----------------------------------------------------------------------------- */

static double forward_sweep(adtape_t *t, int64_t n, const double *x) {
    double *a = adtape_self_malloc(4 * sizeof *a), *row = a, y = 0.0;
    int64_t room = 4, used = 0;
    for (int64_t i = 0; i < n; i++) {
        adtape_push_opaque(t, row);
        row = a + used;
        for (int j = 0; j < ROW; j++) {
            const int grows = used == room;
            if (grows) {
                const int64_t start = row - a;
                room *= 2;
                a = adtape_self_realloc(a, (size_t)room * sizeof *a);
                adtape_push_opaque(t, row);
                row = a + start;
            }
            adtape_push_control(t, (uint64_t)grows, 1);
            a[used++] = sin(x[i] * (j + 1)) + (j > 0 ? row[0] : 0.0);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int j = 0; j < ROW; j++) {
            y += x[i] * a[i * ROW + j] * x[column(n, i, j)];
        }
    }
    adtape_push_opaque(t, row);
    adtape_self_free_save(a);
    return y;
}

/* ---- the reverse sweep ----------------------------------------------------------------------------- */

/* A pointer into the array, and to the same place in its adjoint. */
static void pop_row(adtape_t *t, double **row, double **rowb) {
    void *p;
    adtape_pop_opaque(t, &p);
    *row = p;
    *rowb = adtape_self_adjoint(p);
}

static void adjoint(adtape_t *t, int64_t n, const double *x, double *xb) {
    double *a, *ab, *row, *rowb;
    int64_t used = n * ROW;
    expect_ok(adtape_heap_begin_reverse(adtape_heap_self()));
    a = adtape_self_undo_free(); /* where it was, with its contents and an adjoint of zero */
    ab = adtape_self_adjoint(a);
    pop_row(t, &row, &rowb);
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int j = ROW - 1; j >= 0; j--) {
            const int64_t k = column(n, i, j);
            xb[i] += a[i * ROW + j] * x[k];
            ab[i * ROW + j] += x[i] * x[k];
            xb[k] += x[i] * a[i * ROW + j];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int j = ROW - 1; j >= 0; j--) {
            used--;
            xb[i] += (j + 1) * cos(x[i] * (j + 1)) * ab[used];
            if (j > 0) {
                rowb[0] += ab[used];
            }
            ab[used] = 0.0;
            if (adtape_pop_control(t, 1)) { /* the array grew */
                pop_row(t, &row, &rowb);
                a = adtape_self_undo_realloc(); /* its adjoint goes back with it */
                ab = adtape_self_adjoint(a);
            }
        }
        pop_row(t, &row, &rowb);
    }
    adtape_self_undo_malloc();
    expect_ok(adtape_heap_end_reverse(adtape_heap_self()));
}

int main(int argc, char **argv) {
    const int64_t n = argument(argc, argv, 1, 20000);
    double *x = allocate(n, sizeof *x), *xb = allocate(n, sizeof *xb), y, plain;
    adtape_heap_stats_t stats;
    adtape_t *t = adtape_self();
    for (int64_t i = 0; i < n; i++) {
        x[i] = 1.0 + noise(i);
    }
    y = forward_sweep(t, n, x);
    plain = original(n, x);
    check_same_bits("the forward sweep computes what the original computes", &y, &plain, 1);
    report_count("tape bytes", tape_bytes(t));
    adjoint(t, n, x, xb);
    check_nothing_left(t);
    expect_ok(adtape_heap_stats(adtape_heap_self(), &stats));
    check_count("blocks left alive", (uint64_t)stats.blocks, 0);
    check_against_function(original, n, x, xb, 1e-7);
    free(x), free(xb);
    return finish();
}
