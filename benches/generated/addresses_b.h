/* addresses_b.h: the adjoint of addresses, written by adtape. */
#ifndef ADDRESSES_B_H
#define ADDRESSES_B_H

#ifdef __cplusplus
extern "C" {
#endif

/* The adjoint of addresses. Runs it, and computes the adjoints of what it reads from those of
 * what it writes. Memory that it writes holds old, new or intermediate contents afterwards.
 *   a_b: the adjoint of a: read where the function writes, then cleared or added to
 *   addresses_b: the adjoint of the result: read
 */
void addresses_b(int steps, const double *p, double *a, double *a_b, double addresses_b);

#ifdef __cplusplus
}
#endif

#endif
