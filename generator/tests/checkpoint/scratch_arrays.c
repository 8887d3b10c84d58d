/* Scratch arrays that each pass fills in parts, in both arms of a branch, or several times; passes that may end the
   program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct grid {
    int n;
};

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static void fail(const char *what) {
    fprintf(stderr, "error: %s\n", what);
    exit(1);
}

static void rate(int m, const double *u, double *to) {
    to[0] = -u[0];
    for (int i = 1; i < m - 1; i++) to[i] = u[i + 1] * u[i - 1];
    to[m - 1] = -u[m - 1];
}

static double sum(const double *v, int m) {
    double s = 0.0;
    for (int i = 0; i < m; i++) s += exp(v[i]);
    return log(s);
}

static void halve(const void *of, double *u) {
    const struct grid *g = of;
#pragma adjoint checkpoint snapshots=2
    for (int i = 0; i < g->n; i++) u[i] *= u[0];
}

double f(int n, double *x, int *ia, double *w) {
    enum { M = 6 };
    double u[M], flux[M + 1], d[16], k[16], v[16], part[3], next[3], s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < M; i++) u[i] = 0.1 * x[i] + 0.2;
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < n / 4; t++) {
        flux[0] = 0.1 * u[0];
        flux[M] = 0.2 * u[M - 1];
        for (int i = 1; i < M; i++) flux[i] = 0.1 * u[i - 1];
        for (int i = 0; i < M; i++) u[i] += 0.1 * (flux[i] - flux[i + 1] + u[i] * u[i]);
    }
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < n / 4; t++) {
        double r = 0.0;
        for (int i = 0; i < M; i++) {
            d[i] = 2.0 * u[i];
            r += d[i] * d[i];
        }
        rate(M, u, k);
        for (int i = 0; i < M; i++) u[i] += 0.1 * (d[i] / (1.0 + r) + k[i] * k[i]);
        if (isnan(r)) fail("no number");
    }
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < n / 4; t++) {
        if (t % 2) {
            for (int i = 0; i < M; i++) v[i] = 0.9 * u[i];
        } else {
            for (int i = 0; i < M; i++) v[i] = 0.8 * u[M - 1 - i];
        }
        for (int i = 0; i < M; i++) u[i] = 0.5 * u[i] * v[i] + 0.2;
        for (int j = 0; j < 2; j++) {
            for (int i = 0; i < M; i++) v[i] = u[i] * u[0];
            for (int i = 0; i < M; i++) u[i] += 0.1 * v[i] * v[i];
        }
    }
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < n / 4; t++) {
        for (int j = 0; j < 3; j++) {
            for (int i = 0; i < 3; i++) part[i] = u[i] + 0.1 * x[3 * i + j];
            next[j] = sum(part, 3);
        }
        for (int j = 0; j < 3; j++) u[j] = 0.3 * next[j];
    }
    struct grid g = {M};
    halve(&g, u);
    for (int i = 0; i < M; i++) s += u[i] * u[i];
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
