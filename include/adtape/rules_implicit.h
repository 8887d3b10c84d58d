/* adtape/rules_implicit.h: derivatives of solvers from those of their residuals.
 * The generator includes it where a program calls a function with the directive `implicit`. */
#ifndef ADTAPE_RULES_IMPLICIT_H
#define ADTAPE_RULES_IMPLICIT_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to so many unknowns the matrix is made, row by row; more are solved by products alone. */
enum { ADTAPE_IMPLICIT_DENSE = 200, ADTAPE_IMPLICIT_DIRECTIONS = 60, ADTAPE_IMPLICIT_ROUNDS = 50 };

/* The product of a direction with the matrix of a residual. */
typedef void adtape_implicit_product(void *context, const double *direction, double *product);

/* Memory that was asked for; ends the program if there is none. */
static inline double *adtape_implicit_given(void *room) {
    if (!room) {
        fprintf(stderr, "adtape: no memory for the derivative of a solver\n");
        abort();
    }
    return (double *)room;
}

static inline double *adtape_implicit_room(int64_t count) {
    return adtape_implicit_given(calloc(count > 0 ? (size_t)count : 1, sizeof(double)));
}

static inline double adtape_implicit_dot(int n, const double *x, const double *y) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

static inline void adtape_implicit_ends(const char *name, const char *why) {
    fprintf(stderr, "adtape: %s: %s\n", name, why);
    abort();
}

/* m' x = b for a matrix by rows: x is made in b. */
static inline void adtape_implicit_dense(int n, double *m, double *b, const char *name) {
    for (int k = 0; k < n; k++) {
        double *const pivots = m + (int64_t)k * n;
        int at = k;
        for (int j = k + 1; j < n; j++) at = fabs(pivots[j]) > fabs(pivots[at]) ? j : at;
        if (!(fabs(pivots[at]) > 0)) adtape_implicit_ends(name, "the residual does not determine its unknowns here");
        for (int i = k; i < n && at != k; i++) {
            double *const row = m + (int64_t)i * n, was = row[k];
            row[k] = row[at], row[at] = was;
        }
        const double was = b[k];
        b[k] = b[at], b[at] = was;
        /* Column j of the matrix is an equation: those behind k lose what they have of k. */
        for (int j = k + 1; j < n; j++) pivots[j] /= pivots[k];
        for (int i = k + 1; i < n; i++) {
            double *const row = m + (int64_t)i * n;
            const double factor = row[k];
            for (int j = k + 1; j < n; j++) row[j] -= factor * pivots[j];
        }
        for (int j = k + 1; j < n; j++) b[j] -= pivots[j] * b[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int i = k + 1; i < n; i++) b[k] -= m[(int64_t)i * n + k] * b[i];
        b[k] /= m[(int64_t)k * n + k];
    }
}

/* GMRES: the residual of the system shrinks to the last digits, or the program ends. */
static inline void adtape_implicit_by_products(int n, adtape_implicit_product *product, void *context, const double *b,
                                               double *x, const char *name) {
    enum { MOST = ADTAPE_IMPLICIT_DIRECTIONS };
    double *const basis = adtape_implicit_room((int64_t)(MOST + 2) * n), *const next = basis + (int64_t)(MOST + 1) * n;
    double h[MOST + 1][MOST], c[MOST], s[MOST], g[MOST + 1];
    const double size = sqrt(adtape_implicit_dot(n, b, b));
    int is_done = size == 0;
    for (int k = 0; k < n; k++) x[k] = 0;
    for (int round = 0; round < ADTAPE_IMPLICIT_ROUNDS && !is_done; round++) {
        product(context, x, next);
        for (int k = 0; k < n; k++) basis[k] = b[k] - next[k];
        g[0] = sqrt(adtape_implicit_dot(n, basis, basis));
        is_done = g[0] <= 1e-13 * size;
        for (int k = 0; k < n && !is_done; k++) basis[k] /= g[0];
        int used = 0;
        while (used < MOST && !is_done) {
            double *const behind = basis + (int64_t)(used + 1) * n;
            product(context, basis + (int64_t)used * n, behind);
            for (int i = 0; i <= used; i++) {
                const double *const known = basis + (int64_t)i * n;
                h[i][used] = adtape_implicit_dot(n, behind, known);
                for (int k = 0; k < n; k++) behind[k] -= h[i][used] * known[k];
            }
            const double rest = sqrt(adtape_implicit_dot(n, behind, behind));
            for (int k = 0; k < n && rest != 0; k++) behind[k] /= rest;
            for (int i = 0; i < used; i++) {
                const double one = h[i][used], other = h[i + 1][used];
                h[i][used] = c[i] * one + s[i] * other;
                h[i + 1][used] = c[i] * other - s[i] * one;
            }
            const double length = hypot(h[used][used], rest);
            if (!(length > 0)) adtape_implicit_ends(name, "the residual does not determine its unknowns here");
            c[used] = h[used][used] / length, s[used] = rest / length;
            h[used][used] = length;
            g[used + 1] = -s[used] * g[used], g[used] *= c[used];
            used++;
            if (fabs(g[used]) <= 1e-14 * size) break;
        }
        for (int i = used - 1; i >= 0; i--) {
            for (int j = i + 1; j < used; j++) g[i] -= h[i][j] * g[j];
            g[i] /= h[i][i];
        }
        for (int i = 0; i < used; i++) {
            for (int k = 0; k < n; k++) x[k] += g[i] * basis[(int64_t)i * n + k];
        }
    }
    free(basis);
    if (!is_done) adtape_implicit_ends(name, "the products with its residual's matrix do not lead to a solution");
}

/* m' x = b, where a product of a direction is that with m'. */
static inline void adtape_implicit_solve(int n, adtape_implicit_product *product, void *context, const double *b,
                                         double *x, const char *name) {
    if (n > ADTAPE_IMPLICIT_DENSE) {
        adtape_implicit_by_products(n, product, context, b, x, name);
        return;
    }
    double *const m = adtape_implicit_room((int64_t)n * n + n), *const unit = m + (int64_t)n * n;
    for (int k = 0; k < n; k++) {
        unit[k] = 1;
        product(context, unit, m + (int64_t)k * n);
        unit[k] = 0;
        x[k] = b[k];
    }
    adtape_implicit_dense(n, m, x, name);
    free(m);
}

#endif
