/* Numbers of bytes in variables. */
#include <stdlib.h>
#include <string.h>

struct grid {
    double *u;
    int n, ghosts[2];
};

static void clear(struct grid *g) {
    size_t size;
    size = (size_t)(g->ghosts[0] + g->n + g->ghosts[1]) * sizeof(double);
    memset(g->u, 0, size);
}

/* What the number was computed from has changed when it is used. */
static void keep(struct grid *g, double *to) {
    const size_t bytes = (size_t)g->n * sizeof(double);
    g->n += 2;
    memcpy(to, g->u, bytes);
    g->n -= 2;
}

double f_members(int n, double *x, int *ia, double *w);
double f_members(int n, double *x, int *ia, double *w) {
    double u[8], v[8] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, s = 0.0;
    struct grid g = {u, n, {1, 1}};
    (void)ia;
    for (int i = 0; i < 8; i++) u[i] = x[i] * w[i];
    for (int i = 0; i < 8; i++) s += u[i] * u[i];
    keep(&g, v);
    clear(&g);
    for (int i = 0; i < 8; i++) u[i] += v[i] * v[i] * x[7 - i];
    for (int i = 0; i < 8; i++) s += u[i] * u[i];
    return s;
}

double f_blocks(int n, double *x, int *ia, double *w);
double f_blocks(int n, double *x, int *ia, double *w) {
    size_t size = (size_t)n * sizeof(double);
    int bytes = (int)((size_t)n * sizeof(double));
    double *a = malloc(size), *b = malloc(size), s = 0.0;
    (void)ia;
    if (!a || !b) abort();
    for (int k = 0; k < 3; k++) {
        memset(a, 0, size);
        for (int i = 0; i < n; i++) a[i] += x[i] * x[(i + k) % n] * w[i];
        memcpy(b, a, (size_t)bytes);
        for (int i = 0; i + 1 < n; i++) s += a[i] * b[i + 1];
    }
    free(a);
    free(b);
    return s;
}
