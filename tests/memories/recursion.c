/* Stack variables whose addresses are taken, in a recursion.
 *
 *   u_d = sin(2 x_d + best / 2),   best = max(best, u_d),   y = sum of u_d * best
 *
 * `best` is a pointer to a variable of this frame or of one that called it (category C4 of the paper). Three ways to run
 * the reverse sweep: in routines of their own, whose frames are larger; in the routine of the forward sweep, by a switch; and
 * on another thread's stack. */
#include "blocks.h"

#include <pthread.h>

static adtape_t *t;
static int n;
static const double *x;
static double *xb;
static uint64_t frames, moved; /* that came back, and of them those that lie elsewhere */

/* ---- the original ---------------------------------------------------------------------------------- */

static double original(const double *values, int d, const double *best) {
    const double u = sin(2.0 * values[d] + (best != NULL ? 0.5 * *best : 0.0));
    if (best == NULL || u > *best) {
        best = &u;
    }
    return u * *best + (d + 1 < n ? original(values, d + 1, best) : 0.0);
}

/* ---- the forward sweep, Alg. 2 lines 3, 4, 18 -------------------------------------------------------- */

static double forward_sweep(int d, double *best) {
    double u, y;
    adtape_live_add(NULL, &u, sizeof u, ADTAPE_KIND_STACK, "u");
    u = sin(2.0 * x[d] + (best != NULL ? 0.5 * *best : 0.0));
    push_pointer(t, best);
    if (best == NULL || u > *best) {
        best = &u;
    }
    y = u * *best + (d + 1 < n ? forward_sweep(d + 1, best) : 0.0);
    push_pointer(t, best);
    adtape_push_f64(t, u);
    adtape_live_end(t, NULL, &u);
    return y;
}

/* ---- the reverse sweep in a routine of its own, lines 6, 7, 20 ---------------------------------------- */

static void enter_frame(double *u, double *ub) {
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, u, ub, sizeof *ub);
    frames++;
    moved += range.base != u;
    adtape_pop_f64(t, u);
}

static void separate(int d, double yb) {
    double u, ub = 0.0, *best, *bestb, *was, *wasb, slope;
    enter_frame(&u, &ub);
    pop_pointer(t, (void **)&best, (void **)&bestb);
    if (d + 1 < n) {
        separate(d + 1, yb);
    }
    ub += *best * yb;
    *bestb += u * yb;
    pop_pointer(t, (void **)&was, (void **)&wasb);
    slope = cos(2.0 * x[d] + (was != NULL ? 0.5 * *was : 0.0)) * ub;
    xb[d] += 2.0 * slope;
    if (was != NULL) {
        *wasb += 0.5 * slope;
    }
    adtape_rebase_remove(NULL, &u);
}

/* ---- both sweeps in one routine ------------------------------------------------------------------------ */

static double encapsulated(int reverse, int d, double *best, double yb) {
    double u, ub = 0.0, *bestb, y = 0.0, slope;
    if (!reverse) {
        adtape_live_add(NULL, &u, sizeof u, ADTAPE_KIND_STACK, "u");
        u = sin(2.0 * x[d] + (best != NULL ? 0.5 * *best : 0.0));
        push_pointer(t, best);
        if (best == NULL || u > *best) {
            best = &u;
        }
        y = u * *best + (d + 1 < n ? encapsulated(0, d + 1, best, yb) : 0.0);
        push_pointer(t, best);
        adtape_push_f64(t, u);
        adtape_live_end(t, NULL, &u);
    } else {
        enter_frame(&u, &ub);
        pop_pointer(t, (void **)&best, (void **)&bestb);
        if (d + 1 < n) {
            encapsulated(1, d + 1, best, yb);
        }
        ub += *best * yb;
        *bestb += u * yb;
        pop_pointer(t, (void **)&best, (void **)&bestb);
        slope = cos(2.0 * x[d] + (best != NULL ? 0.5 * *best : 0.0)) * ub;
        xb[d] += 2.0 * slope;
        if (best != NULL) {
            *bestb += 0.5 * slope;
        }
        adtape_rebase_remove(NULL, &u);
    }
    return y;
}

/* ---- each sweep on the stack of another thread ----------------------------------------------------------- */

static double value;

static void *forward_thread(void *unused) {
    expect_ok(adtape_acquire(t));
    value = forward_sweep(0, NULL);
    expect_ok(adtape_release(t, &t));
    return unused;
}

static void *reverse_thread(void *unused) {
    expect_ok(adtape_acquire(t));
    adtape_live_begin_reverse(NULL);
    separate(0, 1.0);
    expect_ok(adtape_release(t, &t));
    return unused;
}

static void on_thread(void *(*sweep)(void *), size_t stack_bytes) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    if (pthread_create(&thread, &attributes, sweep, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        exit(2);
    }
    pthread_attr_destroy(&attributes);
}

/* ---- checks ------------------------------------------------------------------------------------------------ */

static double original_of(int64_t count, const double *values) {
    (void)count;
    return original(values, 0, NULL);
}

/* After both sweeps, one of the ways. */
static void check(void) {
    static const program_t program = {original_of, NULL, NULL};
    const double plain = original(x, 0, NULL);
    adtape_live_stats_t stats;
    check_same_bits("the forward sweep computes what the original computes", &value, &plain, 1);
    check_tape_empty("bytes on the tape after the adjoint", t);
    expect_ok(adtape_live_stats(NULL, &stats));
    check_count("ranges left alive", stats.ranges, 0);
    check_count("frames that came back", frames, (uint64_t)n);
    check_gradient(&program, n, x, xb, 1e-5, 1e-8);
}

static double *begin(const char *heading) {
    printf("-- %s\n", heading);
    frames = moved = 0;
    return xb = allocate(n, sizeof *xb);
}

int main(int argc, char **argv) {
    double *values, *gradient[3];
    argc = choose_memory(argc, argv);
    n = (int)argument(argc, argv, 1, 2000);
    x = values = allocate(n, sizeof *values);
    for (int d = 0; d < n; d++) {
        values[d] = noise(d);
    }

    gradient[0] = begin("separate adjoint");
    t = adtape_self();
    value = forward_sweep(0, NULL);
    adtape_live_begin_reverse(NULL);
    separate(0, 1.0);
    check();
    check_count("of them elsewhere", moved > 0, 1);

    gradient[1] = begin("encapsulated adjoint");
    value = encapsulated(0, 0, NULL, 0.0);
    adtape_live_begin_reverse(NULL);
    encapsulated(1, 0, NULL, 1.0);
    check();
    check_same_bits("the gradient of the separate adjoint, bit for bit", gradient[1], gradient[0], n);

    gradient[2] = begin("sweeps on the stacks of two threads");
    expect_ok(adtape_create(&t));
    expect_ok(adtape_release(t, &t));
    on_thread(forward_thread, (size_t)4 << 20);
    on_thread(reverse_thread, (size_t)7 << 20);
    expect_ok(adtape_acquire(t));
    check();
    check_count("of them elsewhere", moved > 0, 1);
    check_same_bits("the gradient of the separate adjoint, bit for bit", gradient[2], gradient[0], n);
    expect_ok(adtape_destroy(t));
    free(values), free(gradient[0]), free(gradient[1]), free(gradient[2]);
    return finish();
}
