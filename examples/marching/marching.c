/* Pointers that leave their range: Fig. 3 of the paper, with a stride.
 *
 * In each row a pointer marches in steps of STRIDE while the value is below 3. If it marched out of the row, it steps back
 * and uses the value there. Where it marched to may be nowhere, or in another row: Alg. 2 reports the one and takes the
 * other for the wrong row; the pairs of Alg. 3 follow the pointer. */
#include "../common/blocks.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 12, STRIDE = 5 };

static const adtape_session_t *s;

/* ---- the original ---------------------------------------------------------------------------------- */

static double original(int64_t rows, const double *x) {
    double y = 0.0;
    for (int64_t r = 0; r < rows; r++) {
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

/* With `pairs` Alg. 3, else Alg. 2. `wrong` counts pointers that Alg. 2 takes for ones into another row. */
static double forward_sweep(adtape_t *t, int64_t rows, const double *x, int pairs, int64_t *offsets, uint64_t *wrong) {
    double **row = allocate(rows, sizeof *row), *p, y = 0.0;
    for (int64_t r = 0; r < rows; r++) {
        row[r] = birth(LENGTH * sizeof **row, "row (double[12])");
        memcpy(row[r], x + r * LENGTH, LENGTH * sizeof *x);
    }
    for (int64_t r = 0; r < rows; r++) {
        adtape_pair_t pair = {row[r], 0};
        int out;
        while (pair.offset < LENGTH * (int64_t)sizeof *p && *(double *)((char *)pair.base + pair.offset) < 3.0) {
            pair = adtape_pair_add(pair, STRIDE * (int64_t)sizeof *p);
        }
        offsets[r] = pair.offset;
        p = (double *)((uintptr_t)pair.base + (uintptr_t)pair.offset);
        out = pair.offset >= LENGTH * (int64_t)sizeof *p;
        if (pairs) {
            adtape_push_pair(t, s, pair.base, pair.offset);
        } else {
            adtape_range_t range;
            *wrong += adtape_live_find(s, p, &range) == ADTAPE_STATUS_OK && range.base != row[r];
            adtape_push_pointer(t, s, p);
        }
        if (out) {
            pair = adtape_pair_add(pair, -STRIDE * (int64_t)sizeof *p);
        }
        adtape_push_control(t, (uint64_t)out, 1);
        p = (double *)((char *)pair.base + pair.offset);
        y += *p * *p * (double)(r % 5 + 1);
    }
    for (int64_t r = rows - 1; r >= 0; r--) {
        adtape_push_array_f64(t, row[r], LENGTH);
        adtape_push_pointer(t, s, row[r]);
        death(t, row[r]);
    }
    free(row);
    return y;
}

/* ---- the reverse sweep ----------------------------------------------------------------------------- */

static void adjoint(adtape_t *t, int64_t rows, double yb, double *xb, const int64_t *offsets) {
    double **row = allocate(rows, sizeof *row), **rowb = allocate(rows, sizeof *rowb), *p, *pb;
    uint64_t right = 0;
    begin_reverse();
    for (int64_t r = 0; r < rows; r++) {
        void *b;
        rebirth(t, &b);
        adtape_pop_pointer(t, s, (void **)&row[r], (void **)&rowb[r]);
        adtape_pop_array_f64(t, row[r], LENGTH);
    }
    for (int64_t r = rows - 1; r >= 0; r--) {
        const uint64_t out = adtape_pop_control(t, 1);
        adtape_pair_t pair;
        adtape_pop_pair(t, s, &pair, (void **)&p, (void **)&pb);
        right += pair.base == row[r] && pair.offset == offsets[r] && (uintptr_t)pb - (uintptr_t)rowb[r] == (uintptr_t)offsets[r];
        if (out) {
            p -= STRIDE;
            pb -= STRIDE;
        }
        *pb += 2.0 * *p * (double)(r % 5 + 1) * yb;
    }
    check_count("pointers that came back right", right, (uint64_t)rows);
    for (int64_t r = rows - 1; r >= 0; r--) {
        for (int k = 0; k < LENGTH; k++) {
            xb[r * LENGTH + k] += rowb[r][k];
        }
        unborn(row[r]);
    }
    free(row), free(rowb);
}

/* Alg. 2 on the same rows, in a process of its own, which it ends. */
static void check_alg2_reports(int64_t rows, const double *x, int64_t *offsets) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        uint64_t wrong = 0;
        if (freopen("/dev/null", "w", stderr) == NULL) {
            exit(2);
        }
        policy_ = FRESH;
        forward_sweep(adtape_self(), rows, x, 0, offsets, &wrong);
        exit(0);
    }
    waitpid(child, &status, 0);
    check_count("Alg. 2 ends where a pointer is in no range", WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, 1);
}

/* Of the rows but the last, Alg. 2 takes pointers that marched out for ones into the next. */
static uint64_t taken_for_another_row(int64_t rows, const double *x, int64_t *offsets) {
    adtape_t *own = NULL;
    uint64_t wrong = 0;
    double *copy = allocate(rows * LENGTH, sizeof *copy);
    memcpy(copy, x, (size_t)(rows * LENGTH) * sizeof *copy);
    for (int k = 0; k < LENGTH; k++) {
        copy[(rows - 1) * LENGTH + k] = 4.0; /* the last one stays inside */
    }
    expect_ok(adtape_new(s, &own));
    forward_sweep(own, rows, copy, 0, offsets, &wrong);
    expect_ok(adtape_free(own)); /* with what is on it */
    free(copy);
    return wrong;
}

int main(int argc, char **argv) {
    adtape_t *t = adtape_self();
    argc = choose_allocator(argc, argv);
    const int64_t rows = argument(argc, argv, 1, 10000), count = rows * LENGTH;
    double *x = allocate(count, sizeof *x), *xb = allocate(count, sizeof *xb), *shifted = allocate(count, sizeof *x), y[2];
    int64_t *offsets = allocate(rows, sizeof *offsets);
    const double h = 1e-6;
    double product = 0.0, scale = 0.0;
    s = adtape_session_default();
    for (int64_t i = 0; i < count; i++) {
        x[i] = i / LENGTH % 3 == 0 ? 1.0 : 2.0 + 1.2 * noise(i); /* in every third row it marches out */
    }
    for (int k = 0; k < LENGTH; k++) {
        x[(rows - 1) * LENGTH + k] = 1.0; /* and in the last */
    }
    const double value = forward_sweep(t, rows, x, 1, offsets, NULL), plain = original(rows, x);
    check_same_bits("the forward sweep computes what the original computes", &value, &plain, 1);
    adjoint(t, rows, 1.0, xb, offsets);
    check_blocks(t);
    for (int sign = 0; sign < 2; sign++) {
        for (int64_t i = 0; i < count; i++) {
            shifted[i] = x[i] + (sign ? h : -h) * noise(i + 31);
        }
        y[sign] = original(rows, shifted);
    }
    for (int64_t i = 0; i < count; i++) {
        product += xb[i] * noise(i + 31);
        scale += fabs(xb[i] * noise(i + 31));
    }
    check_close("the gradient against finite differences", product, (y[1] - y[0]) / (2 * h), scale, 1e-8);
    check_alg2_reports(rows, x, offsets);
    if (policy_ == FRESH) {
        check_count("Alg. 2 takes some for pointers into the next row", taken_for_another_row(rows, x, offsets) > 0, 1);
    }
    free(x), free(xb), free(shifted), free(offsets);
    return finish();
}
