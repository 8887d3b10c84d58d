/* guide.c: the program of docs/guide.md, "Adjoint your loop by hand in 15 minutes".
 *
 * A reservoir of level h is filled by an inflow q[k] and drained by an outlet (a sqrt(h)) and, above its crest, by a
 * weir (b (h - crest)^1.5). J measures how far h is from observed levels. Wanted: the gradient of J
 * with respect to a, b, the first level and all inflows.
 *
 *   guide [n]             n time steps, by default 100000
 *   guide --mistake [n]   a reverse sweep that does not match its forward sweep; try it with ADTAPE_CHECK=1 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adtape.h"

static const double dt = 0.02, crest = 1.0;

/* ---- 1. the loop -------------------------------------------------------------------------------- */

static double reservoir(int n, double h, double a, double b, const double *q, const double *seen) {
    double J = 0.0;
    for (int k = 0; k < n; k++) {
        double out = a * sqrt(h);
        if (h > crest) {
            out = out + b * pow(h - crest, 1.5);
        }
        h = h + dt * (q[k] - out);
        J = J + dt * (h - seen[k]) * (h - seen[k]);
    }
    return J;
}

/* ---- 2. forward sweep --------------------------------------------------------------------------- */

/* Steps from to to - 1. *h: the level before, then after. Returns their part of J. */
static double forward_sweep(adtape_t *t, int from, int to, double *h, double a, double b, const double *q,
                            const double *seen) {
    double J = 0.0;
    for (int k = from; k < to; k++) {
        double out = a * sqrt(*h);
        if (*h > crest) {
            out = out + b * pow(*h - crest, 1.5);
            adtape_push_control(t, 1, 1);
        } else {
            adtape_push_control(t, 0, 1);
        }
        adtape_push_f64(t, *h);
        *h = *h + dt * (q[k] - out);
        J = J + dt * (*h - seen[k]) * (*h - seen[k]);
    }
    return J;
}

/* ---- 3. reverse sweep --------------------------------------------------------------------------- */

/* Steps to - 1 down to from. *h: the level after them, then before; *hb its adjoint. */
static void reverse_sweep(adtape_t *t, int from, int to, double *h, double *hb, double a, double *ab, double b,
                          double *bb, double *qb, const double *seen, double Jb) {
    for (int k = to - 1; k >= from; k--) {
        double outb;
        *hb = *hb + 2.0 * dt * (*h - seen[k]) * Jb;
        adtape_pop_f64(t, h);
        qb[k] = qb[k] + dt * *hb;
        outb = -dt * *hb;
        if (adtape_pop_control(t, 1)) {
            *bb = *bb + pow(*h - crest, 1.5) * outb;
            *hb = *hb + 1.5 * b * sqrt(*h - crest) * outb;
        }
        *ab = *ab + sqrt(*h) * outb;
        *hb = *hb + a / (2.0 * sqrt(*h)) * outb;
    }
}

/* ---- 4. checks ---------------------------------------------------------------------------------- */

/* The tangent: every line differentiated in its order. The derivative of J in the direction (hd, ad, bd, qd). */
static double tangent(int n, double h, double hd, double a, double ad, double b, double bd, const double *q,
                      const double *qd, const double *seen) {
    double Jd = 0.0;
    for (int k = 0; k < n; k++) {
        double out = a * sqrt(h), outd = ad * sqrt(h) + a / (2.0 * sqrt(h)) * hd;
        if (h > crest) {
            out = out + b * pow(h - crest, 1.5);
            outd = outd + bd * pow(h - crest, 1.5) + 1.5 * b * sqrt(h - crest) * hd;
        }
        h = h + dt * (q[k] - out);
        hd = hd + dt * (qd[k] - outd);
        Jd = Jd + 2.0 * dt * (h - seen[k]) * hd;
    }
    return Jd;
}

/* The loop as a function of all that the gradient is for: h0, a, b and the inflows, one behind the other. */
struct run {
    int n;
    const double *seen;
};
static double cost(int64_t count, const double *x, void *user) {
    const struct run *run = user;
    (void)count;
    return reservoir(run->n, x[0], x[1], x[2], x + 3, run->seen);
}
static int taylor_test(int n, const double *x, const double *gradient, const double *seen) {
    struct run run = {n, seen};
    adtape_test_report_t report;
    if (adtape_test_gradient_f64(cost, NULL, &run, n + 3, x, gradient, NULL, &report) != ADTAPE_STATUS_OK) {
        fprintf(stderr, "%s\n", adtape_error_message());
        exit(2);
    }
    fputs(adtape_test_text(), stdout);
    return report.passed;
}

/* ---- 5. what to tape ---------------------------------------------------------------------------- */

static unsigned long long tape_bytes(adtape_t *t) {
    adtape_stats_t stats;
    if (adtape_stats(t, &stats) != ADTAPE_STATUS_OK) {
        fprintf(stderr, "%s\n", adtape_error_message());
        exit(2);
    }
    return stats.bytes + (stats.pending_bits + 7) / 8;
}

/* A forward sweep that records every variable it overwrites. */
static void forward_everything(adtape_t *t, int n, double h, double a, double b, const double *q, const double *seen) {
    double J = 0.0, out = 0.0;
    for (int k = 0; k < n; k++) {
        adtape_push_f64(t, out);
        out = a * sqrt(h);
        adtape_push_control(t, h > crest, 1);
        if (h > crest) {
            adtape_push_f64(t, out);
            out = out + b * pow(h - crest, 1.5);
        }
        adtape_push_f64(t, h);
        h = h + dt * (q[k] - out);
        adtape_push_f64(t, J);
        J = J + dt * (h - seen[k]) * (h - seen[k]);
    }
}

/* The gradient with a tape that is never longer than the starts of all sections and the steps of one. */
static unsigned long long gradient_by_sections(adtape_t *t, int n, int section, double h, double *hb, double a,
                                               double *ab, double b, double *bb, const double *q, double *qb,
                                               const double *seen) {
    unsigned long long most = 0;
    int from = 0;
    for (int k = 0; k < n; k++) {
        double out;
        if (k % section == 0) {
            adtape_push_f64(t, h);
            from = k;
        }
        out = a * sqrt(h);
        if (h > crest) {
            out = out + b * pow(h - crest, 1.5);
        }
        h = h + dt * (q[k] - out);
    }
    for (; from >= 0; from -= section) {
        const int to = from + section < n ? from + section : n;
        adtape_pop_f64(t, &h);
        forward_sweep(t, from, to, &h, a, b, q, seen);
        most = tape_bytes(t) > most ? tape_bytes(t) : most;
        reverse_sweep(t, from, to, &h, hb, a, ab, b, bb, qb, seen, 1.0);
    }
    return most;
}

/* ---- 6. a mistake ------------------------------------------------------------------------------- */

/* The forward sweep pushes `over` only where the weir runs, the reverse sweep pops it always. */
static void mistake(adtape_t *t, int n, double h, double a, double b, const double *q) {
    double over = 0.0, levels = 0.0;
    for (int k = 0; k < n; k++) {
        double out = a * sqrt(h);
        adtape_push_f64(t, h);
        if (h > crest) {
            adtape_push_f64(t, over);
            over = h - crest;
            out = out + b * pow(over, 1.5);
        }
        adtape_push_control(t, h > crest, 1);
        h = h + dt * (q[k] - out);
    }
    for (int k = n - 1; k >= 0; k--) {
        adtape_pop_control(t, 1);
        adtape_pop_f64(t, &over);
        adtape_pop_f64(t, &h);
        levels = levels + h;
    }
    printf("mean level: %.6f, and %llu bytes are left on the tape\n", levels / n, tape_bytes(t));
}

/* ---- the program -------------------------------------------------------------------------------- */

static double *numbers(int n) {
    double *x = calloc((size_t)n, sizeof *x);
    if (x == NULL) {
        fprintf(stderr, "no memory for %d numbers\n", n);
        exit(2);
    }
    return x;
}
static int failures;
static void check(const char *label, int passed) {
    printf("%s: %s\n", label, passed ? "passed" : "FAILED");
    failures += !passed;
}

int main(int argc, char **argv) {
    const int mistaken = argc > 1 && strcmp(argv[1], "--mistake") == 0;
    const int n = argc > 1 + mistaken ? atoi(argv[1 + mistaken]) : 100000;
    const double h0 = 0.5, a = 0.6, b = 0.8;
    double *x, *gradient, *q, *qd, *qb, *qb2, *seen, h = h0, hb = 0.0, ab = 0.0, bb = 0.0, h2b = 0.0, a2b = 0.0, b2b = 0.0;
    double J, along, forward;
    adtape_t *t = adtape_self();
    adtape_mark_t start;

    if (n < 100) {
        fprintf(stderr, "guide: n is at least 100\n");
        return 2;
    }
    x = numbers(n + 3), gradient = numbers(n + 3), q = x + 3, qb = gradient + 3;
    qd = numbers(n), qb2 = numbers(n), seen = numbers(n);
    for (int k = 0; k < n; k++) {
        q[k] = 0.7 + 0.5 * sin(0.013 * k);
        qd[k] = cos(0.7 * k);
        seen[k] = 1.0 + 0.3 * sin(0.013 * k - 1.0);
    }
    if (mistaken) {
        mistake(t, n, h0, a, b, q);
        return 0;
    }

    J = forward_sweep(t, 0, n, &h, a, b, q, seen);
    printf("J: %.10g\n", J);
    check("the forward sweep computes what the loop computes", J == reservoir(n, h0, a, b, q, seen));
    printf("tape bytes of the forward sweep: %llu\n", tape_bytes(t));
    reverse_sweep(t, 0, n, &h, &hb, a, &ab, b, &bb, qb, seen, 1.0);
    check("the tape is empty after the reverse sweep", tape_bytes(t) == 0);
    check("the first level is back", h == h0);
    printf("dJ/da: %.10g\ndJ/db: %.10g\ndJ/dh0: %.10g\n", ab, bb, hb);

    along = 0.5 * hb + 0.2 * ab - 0.3 * bb;
    for (int k = 0; k < n; k++) {
        along = along + qb[k] * qd[k];
    }
    forward = tangent(n, h0, 0.5, a, 0.2, b, -0.3, q, qd, seen);
    printf("gradient times direction: %.15g\ntangent in the direction: %.15g\n", along, forward);
    check("dot-product test", fabs(along - forward) <= 1e-10 * fabs(forward));
    x[0] = h0, x[1] = a, x[2] = b;
    gradient[0] = hb, gradient[1] = ab, gradient[2] = bb;
    check("Taylor test", taylor_test(n, x, gradient, seen));

    if (adtape_mark_take(t, &start) != ADTAPE_STATUS_OK) {
        fprintf(stderr, "%s\n", adtape_error_message());
        return 2;
    }
    forward_everything(t, n, h0, a, b, q, seen);
    printf("tape bytes if everything is recorded: %llu\n", tape_bytes(t));
    check("a mark takes the tape back", adtape_mark_reset(t, &start) == ADTAPE_STATUS_OK && tape_bytes(t) == 0);

    printf("tape bytes by sections of 300 steps: %llu\n",
           gradient_by_sections(t, n, 300, h0, &h2b, a, &a2b, b, &b2b, q, qb2, seen));
    check("the gradient by sections is the same, bit for bit",
          memcmp(qb, qb2, (size_t)n * sizeof *qb) == 0 && hb == h2b && ab == a2b && bb == b2b);
    check("the tape is empty at the end", tape_bytes(t) == 0);
    free(x), free(gradient), free(qd), free(qb2), free(seen);
    printf("%s\n", failures == 0 ? "all checks passed" : "SOME CHECKS FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
