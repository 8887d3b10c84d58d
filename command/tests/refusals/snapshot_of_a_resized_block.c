#include <stdlib.h>
double f(int n, const double *x) {
    double *a = malloc(2 * sizeof *a), sum;
    a[0] = x[0];
    a = realloc(a, 1000 * sizeof *a);
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < n; t++) {
        a[0] *= a[0] + x[t];
    }
    sum = a[0];
    free(a);
    return sum;
}
