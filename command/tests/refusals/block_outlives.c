#include <stdlib.h>
static double *make(int n, double x) {
    double *a = malloc((size_t)n * sizeof *a);
    for (int i = 0; i < n; i++) a[i] = x * i;
    return a;
}
double f(int n, double x) {
    double *a = make(n, x);
    double y = a[0] * a[n - 1];
    free(a);
    return y;
}
