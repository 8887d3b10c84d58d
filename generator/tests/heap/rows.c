/* A table of rows that a loop allocates. */
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    double **a = malloc((size_t)n * sizeof *a), s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        a[i] = malloc(((size_t)i + 1) * sizeof **a);
        for (int j = 0; j <= i; j++) a[i][j] = x[i] * x[j];
    }
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < i; j++) a[i][j] += a[i - 1][j] * a[i][i];
    }
    for (int i = 0; i < n; i++) {
        s += a[i][i / 2];
        free(a[i]);
    }
    free(a);
    return s;
}

void tables(int *ia) { ia[0] = 0; }
