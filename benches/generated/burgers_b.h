/* burgers_b.h: the adjoint of burgers, written by adtape. */
#ifndef BURGERS_B_H
#define BURGERS_B_H

#ifdef __cplusplus
extern "C" {
#endif

/* The adjoint of burgers. Runs it, and computes the adjoints of what it reads from those of
 * what it writes. Memory that it writes holds old, new or intermediate contents afterwards.
 *   u_b: the adjoint of u: read where the function writes, then cleared or added to
 *   next_b: the adjoint of next: read where the function writes, then cleared or added to
 *   burgers_b: the adjoint of the result: read
 */
void burgers_b(int n, int steps, double dt, double *u, double *u_b, double *next, double *next_b, double burgers_b);

#ifdef __cplusplus
}
#endif

#endif
