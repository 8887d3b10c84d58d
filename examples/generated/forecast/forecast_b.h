/* forecast_b.h: the adjoint of misfit, written by adtape. */
#ifndef FORECAST_B_H
#define FORECAST_B_H

#ifdef __cplusplus
extern "C" {
#endif

/* The adjoint of misfit. Runs it, and computes the adjoints of what it reads from those of
 * what it writes. Memory that it writes holds old, new or intermediate contents afterwards.
 *   start_b: the adjoint of start: added to
 *   forcing_b: the adjoint of forcing: added to
 *   misfit_b: the adjoint of the result: read
 */
void misfit_b(int steps, double h, const double *start, double *start_b, double forcing, double *forcing_b, const double (*seen)[40], double misfit_b);

#ifdef __cplusplus
}
#endif

#endif
