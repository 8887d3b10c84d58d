/* Pointers that leave their range: Fig. 3 of the paper, with a stride.
 *
 * In each row a pointer marches in steps of STRIDE while the value is below 3. If it marched out of the row, it steps back
 * and uses the value there. Where it marched to may be nowhere, or in another row: Alg. 2 reports the one and takes the
 * other for the wrong row; the pairs of Alg. 3 follow the pointer. */
#include "blocks.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 12, STRIDE = 5 };

static int pairs = 1;      /* Alg. 3, else Alg. 2 */
static uint64_t wrong;     /* pointers that Alg. 2 takes for ones into another row */
static int64_t *offsets;   /* of the pointers that were pushed, from their rows */

/* ---- the original ---------------------------------------------------------------------------------- */

static double original(int64_t n, const double *x) {
    const int64_t rows = n / LENGTH;
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

static double forward_sweep(adtape_t *t, int64_t n, const double *x) {
    const int64_t rows = n / LENGTH;
    double **row = allocate(rows, sizeof *row), *p, y = 0.0;
    for (int64_t r = 0; r < rows; r++) {
        row[r] = birth(t, LENGTH * sizeof **row, "row (double[12])");
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
            push_pair(t, pair);
        } else {
            adtape_range_t range;
            wrong += adtape_live_find(NULL, p, &range) == ADTAPE_STATUS_OK && range.base != row[r];
            push_pointer(t, p);
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
        push_pointer(t, row[r]);
        death(t, row[r]);
    }
    free(row);
    return y;
}

/* ---- the reverse sweep ----------------------------------------------------------------------------- */

static void adjoint(adtape_t *t, int64_t n, const double *x, double *xb) {
    const int64_t rows = n / LENGTH;
    double **row = allocate(rows, sizeof *row), **rowb = allocate(rows, sizeof *rowb), *p, *pb;
    uint64_t right = 0;
    (void)x;
    begin_reverse();
    for (int64_t r = 0; r < rows; r++) {
        void *b;
        rebirth(t, &b);
        pop_pointer(t, (void **)&row[r], (void **)&rowb[r]);
        adtape_pop_array_f64(t, row[r], LENGTH);
    }
    for (int64_t r = rows - 1; r >= 0; r--) {
        const uint64_t out = adtape_pop_control(t, 1);
        adtape_pair_t pair;
        pop_pair(t, &pair, (void **)&p, (void **)&pb);
        right += pair.base == row[r] && pair.offset == offsets[r] &&
                 (uintptr_t)pb - (uintptr_t)rowb[r] == (uintptr_t)offsets[r];
        if (out) {
            p -= STRIDE;
            pb -= STRIDE;
        }
        *pb += 2.0 * *p * (double)(r % 5 + 1);
    }
    check_count("pointers that came back right", right, (uint64_t)rows);
    for (int64_t r = rows - 1; r >= 0; r--) {
        for (int k = 0; k < LENGTH; k++) {
            xb[r * LENGTH + k] += rowb[r][k];
        }
        unborn(t, row[r]);
    }
    free(row), free(rowb);
}

/* ---- Alg. 2 on the same rows ------------------------------------------------------------------------- */

/* In a process of its own, which it ends. */
static void check_alg2_reports(int64_t n, const double *x) {
    char message[4096] = "";
    int status = 0, ends[2];
    size_t used = 0;
    ssize_t got = 0;
    fflush(stdout);
    if (pipe(ends) != 0) {
        exit(2);
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        policy_ = FRESH;
        pairs = 0;
        forward_sweep(adtape_self(), n, x);
        exit(0);
    }
    close(ends[1]);
    do {
        got = read(ends[0], message + used, sizeof message - 1 - used);
        used += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    close(ends[0]);
    waitpid(child, &status, 0);
    check_count("Alg. 2 ends where a pointer is in no range", WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, 1);
    check_count("and names the range that it left", strstr(message, "24 bytes past the end of `row` (double[12])") != NULL, 1);
}

/* In all rows but the last, Alg. 2 takes pointers that marched out for ones into the next. */
static void check_alg2_is_wrong(int64_t n, const double *x) {
    adtape_t *own = NULL;
    double *copy = allocate(n, sizeof *copy);
    memcpy(copy, x, (size_t)n * sizeof *copy);
    for (int k = 1; k <= LENGTH; k++) {
        copy[n - k] = 4.0; /* the last one stays inside */
    }
    expect_ok(adtape_create(&own));
    pairs = 0;
    forward_sweep(own, n, copy);
    expect_ok(adtape_destroy(own)); /* with what is on it */
    check_count("Alg. 2 takes some for pointers into the next row", wrong > 0, 1);
    free(copy);
}

int main(int argc, char **argv) {
    static const program_t program = {original, forward_sweep, adjoint};
    argc = choose_memory(argc, argv);
    const int64_t rows = argument(argc, argv, 1, 10000), n = rows * LENGTH;
    double *x = allocate(n, sizeof *x);
    offsets = allocate(rows, sizeof *offsets);
    for (int64_t i = 0; i < n; i++) {
        x[i] = i / LENGTH % 3 == 0 ? 1.0 : 2.0 + 1.2 * noise(i); /* in every third row it marches out */
    }
    for (int k = 1; k <= LENGTH; k++) {
        x[n - k] = 1.0; /* and in the last */
    }
    check_over_both(&program, n, x, 1e-6, 1e-8);
    check_alg2_reports(n, x);
    if (policy_ == FRESH) {
        check_alg2_is_wrong(n, x);
    }
    free(x), free(offsets);
    return finish();
}
