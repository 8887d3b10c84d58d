/* The inverse of a matrix by elimination with pivots, in rows that `malloc` makes, beside rows of the caller. */
#include <math.h>
#include <stdlib.h>

static double **made(int n) {
    double **m = malloc((size_t)n * sizeof *m);
    for (int i = 0; i < n; i++) m[i] = calloc((size_t)n, sizeof **m);
    return m;
}

void f(int n, double **a, double **b) {
    double **m = made(n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            m[i][j] = a[i][j];
            b[i][j] = i == j;
        }
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
        }
        double scale = 1.0 / m[pivot][k];
        for (int j = 0; j < n; j++) {
            double t = m[pivot][j], u = b[pivot][j];
            m[pivot][j] = m[k][j];
            b[pivot][j] = b[k][j];
            m[k][j] = t * scale;
            b[k][j] = u * scale;
        }
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0.0 : m[i][k];
            for (int j = 0; j < n; j++) {
                m[i][j] -= factor * m[k][j];
                b[i][j] -= factor * b[k][j];
            }
        }
    }
    for (int i = 0; i < n; i++) free(m[i]);
    free(m);
}
