/* Pointers that leave their range: Fig. 3 of the paper, with a stride.
 *
 * In each row a pointer marches in steps of STRIDE while the value is below 3. If it marched out of the row, it steps back
 * and uses the value there. Where it marched to may be nowhere, or in another row: Alg. 2 would report the one and take
 * the other for the wrong row; the pairs of Alg. 3, base and offset, follow the pointer. */
#include "../common/example.h"

enum { LENGTH = 12, STRIDE = 5 };

/* ---- the original ---------------------------------------------------------------------------------- */

static double original(int64_t n, const double *x) {
    double y = 0.0;
    for (int64_t r = 0; r < n / LENGTH; r++) {
        const double *row = x + r * LENGTH;
        int64_t k = 0;
        while (k < LENGTH && row[k] < 3.0) {
            k += STRIDE;
        }
        if (k >= LENGTH) {
            k -= STRIDE;
        }
        y += row[k] * row[k] * (double)(r % 5 + 1);
    }
    return y;
}

/* ---- the forward sweep ----------------------------------------------------------------------------- */

/* The value at a place that is in its row. */
static double *at(adtape_pair_t pair) { return (double *)((char *)pair.base + pair.offset); }

static bool is_out(adtape_pair_t pair) { return pair.offset >= LENGTH * (int64_t)sizeof(double); }

static double forward_sweep(adtape_t *t, int64_t n, const double *x) {
    const int64_t rows = n / LENGTH, step = STRIDE * (int64_t)sizeof(double);
    double **row = allocate(rows, sizeof *row), y = 0.0;
    for (int64_t r = 0; r < rows; r++) {
        row[r] = allocate(LENGTH, sizeof **row);
        adtape_live_add(NULL, row[r], LENGTH * sizeof **row, ADTAPE_KIND_HEAP, "row (double[12])");
        memcpy(row[r], x + r * LENGTH, LENGTH * sizeof *x);
    }
    for (int64_t r = 0; r < rows; r++) {
        adtape_pair_t pair = {row[r], 0};
        while (!is_out(pair) && *at(pair) < 3.0) {
            pair = adtape_pair_add(pair, step);
        }
        adtape_push_pair(t, NULL, pair.base, pair.offset); /* line 18* of Alg. 3 */
        adtape_push_control(t, is_out(pair), 1);
        if (is_out(pair)) {
            pair = adtape_pair_add(pair, -step);
        }
        y += *at(pair) * *at(pair) * (double)(r % 5 + 1);
    }
    for (int64_t r = rows - 1; r >= 0; r--) {
        adtape_push_array_f64(t, row[r], LENGTH);
        adtape_push_pointer(t, NULL, row[r]);
        adtape_live_end(t, NULL, row[r]);
        free(row[r]);
    }
    free(row);
    return y;
}

/* ---- the reverse sweep ----------------------------------------------------------------------------- */

static void adjoint(adtape_t *t, int64_t n, double *xb) {
    const int64_t rows = n / LENGTH;
    double **row = allocate(rows, sizeof *row), **rowb = allocate(rows, sizeof *rowb);
    uint64_t right = 0;
    adtape_live_begin_reverse(NULL);
    for (int64_t r = 0; r < rows; r++) {
        adtape_range_t range;
        adtape_pop_range(t, NULL, &range);
        adtape_rebase_add(NULL, &range, allocate(LENGTH, sizeof **row), allocate(LENGTH, sizeof **rowb),
                          LENGTH * sizeof **rowb);
        adtape_pop_pointer(t, NULL, (void **)&row[r], (void **)&rowb[r]);
        adtape_pop_array_f64(t, row[r], LENGTH);
    }
    for (int64_t r = rows - 1; r >= 0; r--) {
        const bool out = adtape_pop_control(t, 1) != 0;
        adtape_pair_t pair;
        void *p, *pb;
        double *value, *valueb;
        adtape_pop_pair(t, NULL, &pair, &p, &pb); /* line 20* */
        right += pair.base == row[r] && out == is_out(pair);
        /* Numbers, because what marched out is no pointer that C knows. */
        value = (double *)((uintptr_t)p - (out ? STRIDE * sizeof *value : 0));
        valueb = (double *)((uintptr_t)pb - (out ? STRIDE * sizeof *valueb : 0));
        *valueb += 2.0 * *value * (double)(r % 5 + 1);
    }
    check_count("pointers that came back right", right, (uint64_t)rows);
    for (int64_t r = rows - 1; r >= 0; r--) {
        for (int k = 0; k < LENGTH; k++) {
            xb[r * LENGTH + k] += rowb[r][k];
        }
        adtape_rebase_remove(NULL, row[r]);
        free(row[r]), free(rowb[r]);
    }
    free(row), free(rowb);
}

int main(int argc, char **argv) {
    const int64_t rows = argument(argc, argv, 1, 10000), n = rows * LENGTH;
    double *x = allocate(n, sizeof *x), *xb = allocate(n, sizeof *xb), y, plain;
    adtape_t *t = adtape_self();
    for (int64_t i = 0; i < n; i++) {
        x[i] = i / LENGTH % 3 == 0 ? 1.0 : 2.0 + 1.2 * noise(i); /* in every third row it marches out */
    }
    for (int k = 1; k <= LENGTH; k++) {
        x[n - k] = 1.0; /* and in the last */
    }
    y = forward_sweep(t, n, x);
    plain = original(n, x);
    check_same_bits("the forward sweep computes what the original computes", &y, &plain, 1);
    report_count("tape bytes", tape_bytes(t));
    adjoint(t, n, xb);
    check_nothing_left(t);
    check_against_function(original, n, x, xb, 1e-7);
    free(x), free(xb);
    return finish();
}
