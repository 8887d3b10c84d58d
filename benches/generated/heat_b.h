/* heat_b.h: the adjoint of heat, written by adtape. */
#ifndef HEAT_B_H
#define HEAT_B_H

#ifdef __cplusplus
extern "C" {
#endif

/* The adjoint of heat. Runs it, and computes the adjoints of what it reads from those of
 * what it writes. Memory that it writes holds old, new or intermediate contents afterwards.
 *   k_b: the adjoint of k: added to
 *   u_b: the adjoint of u: read where the function writes, then cleared or added to
 *   next_b: the adjoint of next: read where the function writes, then cleared or added to
 *   heat_b: the adjoint of the result: read
 */
void heat_b(int n, int m, int steps, double dt, const double *k, double *k_b, const double *data, double *u, double *u_b, double *next, double *next_b, double heat_b);

#ifdef __cplusplus
}
#endif

#endif
