#include <stdlib.h>

/* Levels with a block each, and a function that calls itself for the next one. */
typedef struct {
    int n;
    double *u;
} level;

static void cycle(level *levels, int at) {
    level *fine = &levels[at], *coarse = fine + 1;
    for (int i = 1; i < fine->n - 1; i++) fine->u[i] = fine->u[i - 1] * fine->u[i + 1];
    if (at == 2) return;
    for (int i = 0; i < coarse->n; i++) coarse->u[i] += fine->u[i] * fine->u[i];
    cycle(levels, at + 1);
    for (int i = 0; i < coarse->n; i++) fine->u[i] += 0.5 * coarse->u[i];
}

double f_levels(int n, double *x, int *ia, double *w);
double f_levels(int n, double *x, int *ia, double *w) {
    level levels[3];
    double s = 0.0;
    (void)ia;
    for (int k = 0; k < 3; k++) {
        levels[k].n = n + 2 - k;
        levels[k].u = calloc((size_t)levels[k].n, sizeof *levels[k].u);
        if (!levels[k].u) abort();
    }
    for (int i = 0; i < n + 2; i++) levels[0].u[i] = x[i] * w[i];
    cycle(levels, 0);
    for (int i = 0; i < n + 2; i++) s += levels[0].u[i];
    for (int k = 0; k < 3; k++) free(levels[k].u);
    return s;
}
