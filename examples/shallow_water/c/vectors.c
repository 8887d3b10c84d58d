#include "vectors.h"

#include <math.h>

/* The minimal standard generator; its products stay below 2^63, also in Fortran. */
void noise(int64_t seed, int64_t count, double *x) {
    int64_t state = seed;
    for (int64_t i = 0; i < count; i++) {
        state = 48271 * state % 2147483647;
        x[i] = 2.0 * (double)state / 2147483647.0 - 1.0;
    }
}

double dot_product(int64_t count, const double *x, const double *y) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

double norm(int64_t count, const double *x) {
    return sqrt(dot_product(count, x, x));
}
