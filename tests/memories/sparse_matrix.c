/* A sparse matrix that grows by realloc while it is assembled.
 *
 * y = x' A x, with the entries of A functions of x. A pointer to the row's first entry is kept while the row is
 * assembled, and moves along when the array does. Growing ends one object and begins another: the old one's range is
 * pushed, and its contents need not be, because they are the first part of the new one's. */
#include "blocks.h"

enum { ROW = 7 };

static int64_t column(int64_t n, int64_t i, int j) { return (i * (j + 1) + 3 * j) % n; }

/* ---- the original ---------------------------------------------------------------------------------- */

static double original(int64_t n, const double *x) {
    double *a = NULL, *row, y = 0.0;
    int64_t room = 0, used = 0;
    for (int64_t i = 0; i < n; i++) {
        row = a + used;
        for (int j = 0; j < ROW; j++) {
            if (used == room) {
                const int64_t start = row - a;
                room = room == 0 ? 4 : 2 * room;
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
    double *a = birth(t, 4 * sizeof *a, "a"), *row = a, y = 0.0;
    int64_t room = 4, used = 0;
    for (int64_t i = 0; i < n; i++) {
        push_pointer(t, row);
        row = a + used;
        for (int j = 0; j < ROW; j++) {
            const int grows = used == room;
            if (grows) {
                double *larger_one = birth(t, (size_t)(2 * room) * sizeof *a, "a");
                const int64_t start = row - a;
                memcpy(larger_one, a, (size_t)room * sizeof *a);
                push_pointer(t, row);
                push_pointer(t, a);
                death(t, a);
                a = larger_one;
                row = a + start;
                room *= 2;
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
    adtape_push_count(t, room);
    push_pointer(t, row);
    push_pointer(t, a);
    adtape_push_array_f64(t, a, used);
    death(t, a);
    return y;
}

/* ---- the reverse sweep ----------------------------------------------------------------------------- */

static void adjoint(adtape_t *t, int64_t n, const double *x, double *xb) {
    double *a, *ab, *row, *rowb;
    int64_t room, used = n * ROW;
    void *b;
    begin_reverse();
    a = rebirth(t, &b);
    adtape_pop_array_f64(t, a, used);
    pop_pointer(t, (void **)&a, (void **)&ab);
    pop_pointer(t, (void **)&row, (void **)&rowb);
    room = adtape_pop_count(t);
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
                double *grown = a, *grownb = ab;
                rebirth(t, &b);
                pop_pointer(t, (void **)&a, (void **)&ab);
                pop_pointer(t, (void **)&row, (void **)&rowb);
                room /= 2;
                memcpy(a, grown, (size_t)room * sizeof *a);
                for (int64_t k = 0; k < room; k++) {
                    ab[k] += grownb[k];
                }
                unborn(t, grown);
            }
        }
        pop_pointer(t, (void **)&row, (void **)&rowb);
    }
    unborn(t, a);
}

int main(int argc, char **argv) {
    static const program_t program = {original, forward_sweep, adjoint};
    argc = choose_memory(argc, argv);
    const int64_t n = argument(argc, argv, 1, 20000);
    double *x = allocate(n, sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        x[i] = 1.0 + noise(i);
    }
    check_over_both(&program, n, x, 1e-5, 1e-7);
    free(x);
    return finish();
}
