/* Handling pointers, Fig. 2, right: blocks are made again; contents come back only where the adjoint reads them. */
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static double picked(int n, const double *x, int j) {
    double *r = malloc(n * sizeof *r), s = 0.0;
    for (int k = 0; k < n; k++) {
        r[k] = x[k] * x[k + 1];
    }
    s += r[(3 * j + 1) % n];
    free(r);
    return s;
}

static double squared(int n, const double *x, int j) {
    double *r = malloc(n * sizeof *r), s = 0.0;
    for (int k = 0; k < n; k++) {
        r[k] = x[k] * x[k + 1];
    }
    s += r[(3 * j + 1) % n] * r[(3 * j + 1) % n];
    free(r);
    return s;
}

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)w;
    double c = 0.0;
    for (int j = 0; j < 5; j++) {
        c += picked(ia[j], x, j);
        c += squared(ia[j + 1], x, j);
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i % 7 + 2;
    }
}
