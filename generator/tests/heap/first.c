/* Blocks of which each pass makes one: first stores into them, and others that seem to be. */
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static double once(int n, const double *x) {
    double s = 0.0, *old = NULL;
    for (int i = 0; i < n; i++) {
        double *p = malloc(4 * sizeof *p);
        for (int k = 0; k < 4; k++) p[k] = x[i] * x[k];
        for (int k = 0; k < 4; k++) s += p[k] * p[k];
        free(old);
        old = p;
    }
    free(old);
    return s;
}

/* Every second store overwrites what was read. */
static double twice(int n, const double *x) {
    double s = 0.0, *old = NULL;
    for (int i = 0; i < n; i++) {
        double *p = malloc(2 * sizeof *p);
        for (int k = 0; k < 4; k++) {
            p[k / 2] = x[i] * x[k];
            s += 0.5 * p[k / 2] * p[k / 2];
        }
        free(old);
        old = p;
    }
    free(old);
    return s;
}

/* The first element has a value in front of the loop. */
static double before(int n, const double *x) {
    double s = 0.0, *old = NULL;
    for (int i = 0; i < n; i++) {
        double *p = malloc(3 * sizeof *p);
        p[0] = 0.7 * x[i];
        s += p[0] * p[0];
        for (int k = 0; k < 3; k++) {
            p[k] = x[i] * x[k + 1];
            s += 0.3 * p[k] * p[k];
        }
        free(old);
        old = p;
    }
    free(old);
    return s;
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    return once(n, x) + twice(n, x) + before(n, x);
}

void tables(int *ia) { ia[0] = 0; }
