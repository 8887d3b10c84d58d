/* bundle_b.h: the adjoint of bundle, written by adtape. */
#ifndef BUNDLE_B_H
#define BUNDLE_B_H

#ifdef __cplusplus
extern "C" {
#endif

/* The adjoint of bundle. Runs it, and computes the adjoints of what it reads from those of
 * what it writes. Memory that it writes holds old, new or intermediate contents afterwards.
 *   camera_b: the adjoint of camera: added to
 *   point_b: the adjoint of point: added to
 *   weight_b: the adjoint of weight: added to
 *   bundle_b: the adjoint of the result: read
 */
void bundle_b(int observations, const int *camera_of, const int *point_of, const double *found, const double *camera, double *camera_b, const double *point, double *point_b, const double *weight, double *weight_b, double bundle_b);

#ifdef __cplusplus
}
#endif

#endif
