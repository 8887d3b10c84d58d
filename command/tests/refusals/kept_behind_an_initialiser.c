#include <stdlib.h>
static double *kept;
static double **at = &kept;
double f(int n, const double *x) {
    double s = *at ? (*at)[0] * x[0] : 0.0;
    kept = malloc((size_t)n * sizeof *kept);
    for (int i = 0; i < n; i++) kept[i] = x[i] * x[i];
    return s + kept[0] * kept[n - 1];
}
