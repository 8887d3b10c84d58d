/* vectors.h: long vectors. */
#ifndef SHALLOW_WATER_VECTORS_H
#define SHALLOW_WATER_VECTORS_H

#include <stdint.h>

/* Reproducible numbers, evenly spread over [-1, 1). */
void noise(int64_t seed, int64_t count, double *x);
double dot_product(int64_t count, const double *x, const double *y);
double norm(int64_t count, const double *x);

#endif
