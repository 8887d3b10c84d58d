#include <stdlib.h>
static size_t taken;
static void *take(size_t bytes) {
    taken += bytes;
    return malloc(bytes);
}
double f(double *x, int n) {
    double *a = take(2 * sizeof *a);
    a[0] = x[0] * x[n - 1];
    double y = a[0];
    free(a);
    return y;
}
