/* stencil_b.h: the adjoint of misfit, written by adtape. */
#ifndef STENCIL_B_H
#define STENCIL_B_H

#ifdef __cplusplus
extern "C" {
#endif

/* The adjoint of misfit. Runs it, and computes the adjoints of what it reads from those of
 * what it writes. Memory that it writes holds old, new or intermediate contents afterwards.
 *   rate_b: the adjoint of rate: added to
 *   u_b: the adjoint of u: read where the function writes, then cleared or added to
 *   v_b: the adjoint of v: read where the function writes, then cleared or added to
 *   misfit_b: the adjoint of the result: read
 */
#ifndef __cplusplus /* it has no parameters of variable extent */
void misfit_b(int n, int m, int steps, double rate, double *rate_b, double u[n][m], double u_b[n][m], double v[n][m], double v_b[n][m], const double data[n][m], double misfit_b);
#endif

#ifdef __cplusplus
}
#endif

#endif
