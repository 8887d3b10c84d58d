/* shallow_water: the adjoint of a shallow-water model, on adtape: gradient, its tests, an optimiser with it,
 * and what the tape did for it. See README.md. */
#include "checkpoints.h"
#include "fourdvar.h"
#include "memory.h"
#include "optimise.h"
#include "page.h"
#include "replay.h"
#include "setup.h"
#include "terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMING_ROUNDS = 3 };
/* Snapshots to try, in the whole run and in a short one of so many observation times. */
static const int snapshots_of_all[] = {2, 5, 10, 50}, snapshots_of_few[] = {1};
enum { SHORT_RUN = 2 };

/* Prints a line where the progress bar may be. */
__attribute__((format(printf, 1, 2))) static void line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    progress_clear();
    (void)vprintf(format, arguments);
    (void)fputc('\n', stdout);
    (void)fflush(stdout);
    va_end(arguments);
}

static void blank(void) {
    line("%s", "");
}

static void fail(const char *what) {
    progress_clear();
    (void)fprintf(stderr, "shallow_water: %s\n", what);
    exit(1);
}

static adtape_t *new_tape(void) {
    adtape_t *t;
    if (adtape_create(&t) != ADTAPE_STATUS_OK) {
        fail(adtape_error_message());
    }
    return t;
}

static double *new_vector(int64_t count) {
    double *x = calloc((size_t)count, sizeof(double));
    if (x == NULL) {
        fail("no memory");
    }
    return x;
}

static const char *verdict(int passed) {
    return passed ? "passed" : "FAILED";
}

static void print_problem(const setup_t *s, const fourdvar_t *p) {
    char budget[16];
    format_bytes(budget, s->budget_bytes);
    line("problem");
    line("  size               %s (SIZE=small, default or large)", s->size_name);
    line("  memory             %s may be used%s: 85 %% of %s", budget,
         s->budget_of_tape ? " for the tape" : "", s->budget_source);
    if (s->shrunk) {
        line("  shrunk             to fit into that memory; SIZE=%s is %s", s->size_name, s->asked);
    }
    line("  grid               %d x %d cells of %.0f m; a channel, periodic along it, walls on both sides", p->g.nx,
         p->g.ny, p->g.dx);
    line("  time               %d steps of %.2f s, two stages each; Courant number %.2f", p->g.steps, p->g.dt,
         courant_number(&p->g, &p->f));
    line("  controls           %d: the initial depth and velocity h, u, v", p->g.controls);
    line("  observations       %d of the depth, every fourth cell both ways, every %d steps, with noise of %.0f mm",
         p->g.observed, p->g.observe_every, 1e3 * p->sigma_o);
    blank();
}

/* At a smooth state with some noise, so that no branch sits exactly at its kink, in a smooth direction with
 * some noise, so that every control counts. */
static int check_gradient(fourdvar_t *p) {
    const int n = p->g.controls;
    double *w = new_vector(n), *d = new_vector(n);
    adtape_test_report_t taylor, dot;
    int taylor_passed;
    noise(1, n, w);
    noise(2, n, d);
    for (int c = 0; c < n; c++) {
        w[c] = 0.5 * p->truth[c] + 0.01 * w[c];
        d[c] = p->truth[c] + 0.1 * d[c];
    }
    progress_label("Taylor test");
    if (!taylor_test(p, w, d, &taylor)) {
        fail("no memory for the gradient");
    }
    taylor_passed = taylor.passed && fabs(taylor.order - 2.0) <= 0.1;
    line("gradient check: Taylor test of the library, with the noise of the cost measured first");
    progress_clear();
    (void)fputs(adtape_test_text(), stdout);
    line("  Taylor order       %.4f (must be 2 +- 0.1), slope relative to differences %.1e: %s", taylor.order,
         taylor.error, verdict(taylor_passed));
    progress_label("dot-product test");
    if (!dot_product_test(p, w, d, &dot)) {
        fail("no memory for the tangent program");
    }
    line("gradient check: dot-product test of the library with the tangent program");
    line("  (y, H' d)          %.15e", dot.reference);
    line("  (H'^T y, d)        %.15e", dot.slope);
    line("  dot-product test   relative difference %.1e (must be at most 1e-10): %s", dot.error, verdict(dot.passed));
    blank();
    free(w);
    free(d);
    return taylor_passed && dot.passed;
}

/* The initial depth as it is, as it was guessed, as the optimiser found it, and what the cost depends on. */
static void draw_fields(const fourdvar_t *p, const double *w) {
    const grid_t *g = &p->g;
    const int third = g->controls / 3;
    double *background = new_vector(third), *zero = new_vector(g->controls);
    for (int c = 0; c < third; c++) {
        background[c] = g->h0[(c / g->nx + 2) * g->row + c % g->nx + 2];
    }
    page_field("truth", g->nx, g->ny, p->truth, g->sigma_h, background);
    page_field("background", g->nx, g->ny, zero, g->sigma_h, background);
    page_field("analysis", g->nx, g->ny, w, g->sigma_h, background);
    free(background);
    free(zero);
}

static int improve(fourdvar_t *p, int iterations) {
    double *w = new_vector(p->g.controls);
    double before[2], after[2], first, last;
    int ok;
    error_of_state(p, w, &before[0], &before[1]);
    progress_label("optimiser");
    line("optimiser: L-BFGS from the background (w = 0)");
    ok = optimise(p, iterations, w, &first, &last);
    if (ok) {
        error_of_state(p, w, &after[0], &after[1]);
        line("  cost               %.15e -> %.15e: %s", first, last, last < first ? "went down" : "DID NOT GO DOWN");
        line("  rms error          of the initial depth %.4f -> %.4f m, of the initial velocity %.4f -> %.4f m/s",
             before[0], after[0], before[1], after[1]);
        blank();
        draw_fields(p, w);
        ok = last < first;
    }
    free(w);
    return ok;
}

/* What is pushed, from the statistics of profile mode, in a run of few steps: profile mode takes time. */
static void print_traffic(const fourdvar_t *whole) {
    const int steps = whole->g.observe_every;
    const int64_t sections = 2 * steps; /* push_channel */
    adtape_t *t = whole->tape;
    double *w = new_vector(whole->g.controls), *gradient = new_vector(whole->g.controls);
    adtape_traffic_t values, control;
    fourdvar_t p;
    char bytes[16];
    int64_t scalar_bytes, control_bytes;
    if (!fourdvar_create(&p, whole->g.nx, whole->g.ny, steps, steps, t)) {
        fail("no memory");
    }
    (void)adtape_stats_set_profile(t, true);
    (void)cost_and_gradient(&p, w, gradient);
    (void)adtape_stats_traffic(t, ADTAPE_TYPE_F64, ADTAPE_OPERATION_PUSH, &values);
    (void)adtape_stats_traffic(t, ADTAPE_TYPE_CONTROL, ADTAPE_OPERATION_PUSH, &control);
    (void)adtape_stats_set_profile(t, false);
    scalar_bytes = 8 * ((int64_t)values.calls - sections);
    control_bytes = (int64_t)control.elements / 62 * 8;
    line("  scalar share       %.1f %% of the bytes are pushed as scalars (profile statistics of %d steps: %.1f million "
         "scalars)",
         100.0 * (double)scalar_bytes / (double)p.tape_bytes, steps, 1e-6 * (double)scalar_bytes / 8.0);
    format_bytes(bytes, control_bytes * whole->g.steps / steps);
    line("  control bits       %.1f million, %.1f a cell and step, in %s (%.1f %%)",
         1e-6 * (double)control.elements * whole->g.steps / steps,
         (double)control.elements / ((double)p.g.nx * p.g.ny * steps), bytes,
         100.0 * (double)control_bytes / (double)p.tape_bytes);
    free(w);
    free(gradient);
    fourdvar_destroy(&p);
}

static void print_tape(const fourdvar_t *p) {
    char now[16], step[16], peak[16], committed[16], resident[16];
    adtape_stats_t stats;
    (void)adtape_stats(p->tape, &stats);
    format_bytes(now, (int64_t)p->tape_bytes);
    format_bytes(step, (int64_t)p->tape_bytes / p->g.steps);
    format_bytes(peak, (int64_t)stats.peak_bytes);
    format_bytes(committed, (int64_t)stats.committed_bytes);
    format_bytes(resident, memory_peak_resident_bytes());
    line("tape of one gradient");
    line("  tape bytes         %s between forward and reverse sweep, %s a step", now, step);
    line("  tape peak          %s; memory of the tape %s, of the whole program at most %s", peak, committed, resident);
    print_traffic(p);
    blank();
}

__attribute__((format(printf, 3, 4))) static void row(const char *name, double seconds, const char *format, ...) {
    char remark[120];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(remark, sizeof remark, format, arguments);
    va_end(arguments);
    line("  %-18s%8.3f s%s%s", name, seconds, remark[0] != '\0' ? "  " : "", remark);
}

/* Primal, gradient and tape alone in turn, so that what else the machine does falls on all of them, and the best
 * of each.
 *
 * What the pushes add to the forward sweep is measured, against the primal. The pops cannot be left out of the
 * reverse sweep; it is assumed that of the time they take alone as much is hidden behind the arithmetic as with
 * the pushes. Returns how many runs of the primal a gradient takes. */
static double print_times(fourdvar_t *p) {
    double *w = new_vector(p->g.controls), *gradient = new_vector(p->g.controls);
    double push = HUGE_VAL, pop = HUGE_VAL, primal, sweeps, in_forward, in_reverse;
    progress_label("timing");
    p->primal_seconds = p->forward_seconds = p->reverse_seconds = HUGE_VAL;
    for (int round = 0; round < TIMING_ROUNDS; round++) {
        double push_now, pop_now;
        (void)cost(p, w);
        (void)cost_and_gradient(p, w, gradient);
        replay(&p->g, p->tape, &push_now, &pop_now);
        push = fmin(push, push_now);
        pop = fmin(pop, pop_now);
    }
    primal = p->primal_seconds;
    sweeps = p->forward_seconds + p->reverse_seconds;
    in_forward = p->forward_seconds - primal;
    in_reverse = pop * fmax(0.0, fmin(1.0, in_forward / push));
    line("time, the best of %d", TIMING_ROUNDS);
    row("primal", primal, "%s", "");
    row("forward sweep", p->forward_seconds, "%.2f x primal (the first one, with new memory: %.3f s)",
        p->forward_seconds / primal, p->first_forward_seconds);
    row("reverse sweep", p->reverse_seconds, "%.2f x primal", p->reverse_seconds / primal);
    row("gradient", sweeps, "%.2f x primal", sweeps / primal);
    row("tape in forward", in_forward, "forward sweep minus primal; the pushes alone take %.3f s", push);
    row("tape in reverse", in_reverse, "estimate: the pops alone take %.3f s, hidden as much as the pushes are", pop);
    line("  share of the tape  %.0f %% of the gradient: pushes, pops and the memory traffic they cause",
         100.0 * (in_forward + in_reverse) / sweeps);
    blank();
    free(w);
    free(gradient);
    return sweeps / primal;
}

/* One row: the gradient by a driver, beside `expected` in every bit and beside theory. `reference` is that by store-all. */
static int try_snapshots(fourdvar_t *p, int snapshots, const double *expected, reversal_t *reference) {
    double *w = new_vector(p->g.controls), *gradient = new_vector(p->g.controls);
    const int64_t least = reversal_least_steps(p->g.steps, snapshots);
    char name[16], checkpoints[16], tape[16];
    int equal;
    reversal_t r;
    (void)cost_and_gradient_by_driver(p, snapshots, w, gradient, &r);
    equal = memcmp(gradient, expected, (size_t)p->g.controls * sizeof(double)) == 0;
    if (snapshots == 0) {
        *reference = r;
    }
    (void)snprintf(name, sizeof name, snapshots == 0 ? "store-all" : "%d", snapshots);
    format_bytes(checkpoints, r.snapshot_bytes);
    format_bytes(tape, r.tape_bytes);
    line("  %9s %6d  %11s  %12s  %11d  %6d  %12.2f  %14.2f  %s", name, (int)r.steps, checkpoints, tape, (int)r.extra_steps,
         (int)least, (double)r.extra_steps / (double)r.steps, r.seconds / reference->seconds,
         equal ? "equal" : "DIFFERENT");
    reversal_write(&r, "C", p->primal_seconds);
    free(w);
    free(gradient);
    return equal && r.extra_steps == least;
}

/* The gradient at the background again, with checkpoints instead of the tape of every step: first as the sweeps above
 * computed it, then by a driver that keeps every tape, then with snapshots. */
static int try_checkpoints(fourdvar_t *p, const int *snapshots, int count) {
    double *w = new_vector(p->g.controls), *expected = new_vector(p->g.controls);
    reversal_t reference;
    int ok;
    (void)cost_and_gradient(p, w, expected);
    ok = try_snapshots(p, 0, expected, &reference);
    for (int i = 0; i < count; i++) {
        ok = try_snapshots(p, snapshots[i], expected, &reference) && ok;
    }
    free(w);
    free(expected);
    return ok;
}

static int checkpoints(fourdvar_t *whole) {
    fourdvar_t few;
    int ok;
    if (!fourdvar_create(&few, whole->g.nx, whole->g.ny, SHORT_RUN * whole->g.observe_every, whole->g.observe_every,
                         whole->tape)) {
        fail("no memory");
    }
    few.primal_seconds = whole->primal_seconds * few.g.steps / whole->g.steps;
    progress_label("checkpoints");
    line("checkpoints: a driver keeps so many states (binomial) instead of the tape of every step (store-all)");
    line("  snapshots  steps  checkpoints  most on tape  extra steps  theory  forward runs  time/store-all  gradient");
    ok = try_checkpoints(whole, snapshots_of_all, sizeof snapshots_of_all / sizeof(int));
    ok = try_checkpoints(&few, snapshots_of_few, 1) && ok;
    line("  checkpoints        gradients equal in every bit, extra steps as few as there can be: %s", verdict(ok));
    blank();
    fourdvar_destroy(&few);
    return ok;
}

static int64_t checkpoint_units(const setup_t *s) {
    const int64_t few = SHORT_RUN * s->observe_every;
    int64_t units = 7 * s->steps + reversal_units(s->steps, 0) + 9 * few + reversal_units(few, 0) +
                    reversal_units(few, snapshots_of_few[0]);
    for (size_t i = 0; i < sizeof snapshots_of_all / sizeof(int); i++) {
        units += reversal_units(s->steps, snapshots_of_all[i]);
    }
    return units;
}

int main(void) {
    setup_t s;
    adtape_memory_t memory;
    fourdvar_t p;
    double *gradient, *w, j, runs;
    adtape_t *t;
    int ok;
    if (adtape_process_memory(&memory) != ADTAPE_STATUS_OK) {
        fail(adtape_error_message());
    }
    setup_choose(&s, memory.limit_bytes < INT64_MAX ? (int64_t)memory.limit_bytes : INT64_MAX);
    t = new_tape();
    /* Truth, gradient, Taylor test, dot-product test, optimiser, timing, checkpoints. */
    progress_start((int64_t)s.steps * (2 + 9 + 7 + 2 * (TAYLOR_STEPS + 9) + 22 + 8 * s.iterations + 9 * TIMING_ROUNDS) +
                   checkpoint_units(&s));
    progress_label("truth and observations");
    line("adtape demo in C: the adjoint of a two-dimensional shallow-water model");
    blank();
    if (!fourdvar_create(&p, s.nx, s.ny, s.steps, s.observe_every, t)) {
        fail("no memory for the model");
    }
    if (!run_was_valid(&p.g, &p.f)) {
        fail("the run from the truth is not valid: depth not positive or Courant number above 1/2");
    }
    print_problem(&s, &p);
    w = new_vector(p.g.controls);
    gradient = new_vector(p.g.controls);
    progress_label("gradient");
    (void)cost(&p, w);
    j = cost_and_gradient(&p, w, gradient);
    line("at the background");
    line("  cost               %.15e", j);
    line("  gradient norm      %.15e", norm(p.g.controls, gradient));
    blank();
    page_field("sensitivity", p.g.nx, p.g.ny, gradient, 1.0 / p.g.sigma_h, NULL);
    free(w);
    free(gradient);
    ok = check_gradient(&p);
    ok = ok && improve(&p, s.iterations);
    print_tape(&p);
    runs = print_times(&p);
    ok = checkpoints(&p) && ok;
    page_numbers("won", 2, (const double[]){p.g.controls, runs});
    line("won: %d derivatives for the price of %.1f runs of the model; by differences they take %d runs", p.g.controls,
         runs, p.g.controls + 1);
    progress_clear();
    fourdvar_destroy(&p);
    (void)adtape_destroy(t);
    return ok ? 0 : 1;
}
