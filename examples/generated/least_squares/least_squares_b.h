/* least_squares_b.h: the adjoint of cost, written by adtape. */
#ifndef LEAST_SQUARES_B_H
#define LEAST_SQUARES_B_H

#ifdef __cplusplus
extern "C" {
#endif

/* The adjoint of cost. Runs it, and computes the adjoints of what it reads from those of
 * what it writes. Memory that it writes holds old, new or intermediate contents afterwards.
 *   p_b: the adjoint of p: added to
 *   cost_b: the adjoint of the result: read
 */
void cost_b(int n, const double *t, const double *y, const double *p, double *p_b, double limit, double cost_b);

#ifdef __cplusplus
}
#endif

#endif
