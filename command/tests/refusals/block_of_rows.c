#include <stdlib.h>
double f(int n, int m, const double *x) {
    double(*u)[m] = malloc((size_t)n * sizeof *u);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) u[i][j] = x[i] * x[j];
    }
    double y = u[n - 1][m - 1];
    free(u);
    return y;
}
