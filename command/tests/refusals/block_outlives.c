#include <stdlib.h>
static double *kept;
static void make(int n, double x) {
    kept = malloc((size_t)n * sizeof *kept);
    for (int i = 0; i < n; i++) kept[i] = x * i;
}
double f(int n, double x) {
    make(n, x);
    double y = kept[0] * kept[n - 1];
    free(kept);
    return y;
}
