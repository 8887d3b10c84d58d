#include <stdlib.h>

static int before(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double f(int n, double *x) {
    double sum = 0.0;
    qsort(x, (size_t)n, sizeof *x, before);
    for (int i = 0; i < n; i++) {
        sum += i * x[i];
    }
    return sum;
}
