#include <stdlib.h>
double f(int n, double x) {
    double *a = malloc((size_t)n * sizeof *a);
    a[0] = x;
    a = realloc(a, 2 * (size_t)n * sizeof *a);
    double y = a[0] * a[0];
    free(a);
    return y;
}
