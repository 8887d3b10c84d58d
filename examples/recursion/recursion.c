/* Stack variables whose addresses are taken, in a recursion.
 *
 *   u_d = sin(2 x_d + best / 2),   best = max(best, u_d),   y = sum of u_d * best
 *
 * `best` is a pointer to a variable of this frame or of one that called it (category C4 of the paper). The reverse sweep
 * runs in a routine of its own, whose frames are larger: the variables lie elsewhere than in the forward sweep. */
#include "../common/example.h"

static adtape_t *t;
static int n;
static const double *x;
static double *xb;
static uint64_t moved; /* frames that lie elsewhere */

/* ---- the original ---------------------------------------------------------------------------------- */

static double recurse(const double *values, int d, const double *best) {
    const double u = sin(2.0 * values[d] + (best != NULL ? 0.5 * *best : 0.0));
    if (best == NULL || u > *best) {
        best = &u;
    }
    return u * *best + (d + 1 < n ? recurse(values, d + 1, best) : 0.0);
}

static double original(int64_t count, const double *values) {
    (void)count;
    return recurse(values, 0, NULL);
}

/* ---- the forward sweep ----------------------------------------------------------------------------- */

static double forward_sweep(int d, double *best) {
    double u, y;
    adtape_live_add(NULL, &u, sizeof u, ADTAPE_KIND_STACK, "u"); /* line 3 of Alg. 2 */
    u = sin(2.0 * x[d] + (best != NULL ? 0.5 * *best : 0.0));
    adtape_push_pointer(t, NULL, best); /* line 18 */
    if (best == NULL || u > *best) {
        best = &u;
    }
    y = u * *best + (d + 1 < n ? forward_sweep(d + 1, best) : 0.0);
    adtape_push_pointer(t, NULL, best);
    adtape_push_f64(t, u);
    adtape_live_end(t, NULL, &u); /* line 4 */
    return y;
}

/* ---- the reverse sweep ----------------------------------------------------------------------------- */

static void reverse_sweep(int d, double yb) {
    double u, ub = 0.0, *best, *bestb, *was, *wasb, slope;
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range); /* line 6: the frame is entered again */
    adtape_rebase_add(NULL, &range, &u, &ub, sizeof ub);
    moved += range.base != &u;
    adtape_pop_f64(t, &u);
    adtape_pop_pointer(t, NULL, (void **)&best, (void **)&bestb); /* line 20 */
    if (d + 1 < n) {
        reverse_sweep(d + 1, yb);
    }
    ub += *best * yb;
    *bestb += u * yb;
    adtape_pop_pointer(t, NULL, (void **)&was, (void **)&wasb);
    slope = cos(2.0 * x[d] + (was != NULL ? 0.5 * *was : 0.0)) * ub;
    xb[d] += 2.0 * slope;
    if (was != NULL) {
        *wasb += 0.5 * slope;
    }
    adtape_rebase_remove(NULL, &u); /* line 7 */
}

int main(int argc, char **argv) {
    double *values, y, plain;
    n = (int)argument(argc, argv, 1, 2000);
    x = values = allocate(n, sizeof *values);
    xb = allocate(n, sizeof *xb);
    t = adtape_self();
    for (int d = 0; d < n; d++) {
        values[d] = noise(d);
    }
    y = forward_sweep(0, NULL);
    plain = original(n, x);
    check_same_bits("the forward sweep computes what the original computes", &y, &plain, 1);
    report_count("tape bytes", tape_bytes(t));
    adtape_live_begin_reverse(NULL);
    reverse_sweep(0, 1.0);
    check_count("some frames elsewhere", moved > 0, 1);
    check_nothing_left(t);
    check_against_function(original, n, x, xb, 1e-7);
    free(values), free(xb);
    return finish();
}
