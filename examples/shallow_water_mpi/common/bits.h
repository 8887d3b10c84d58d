/* bits.h: one number made of all bits of many, which tells whether two gradients have the same. */
#ifndef SHALLOW_WATER_MPI_BITS_H
#define SHALLOW_WATER_MPI_BITS_H

#include <stdint.h>

/* Of x at its place in a vector. A vector's number is the exclusive or of its elements', in any order. */
uint64_t bits_at(int64_t place, double x);

#endif
