/* adFixedPoint.h: whether the adjoint of a fixed-point loop iterates once more. Programs may define these themselves. */
#ifndef ADFIXEDPOINT_LOADED
#define ADFIXEDPOINT_LOADED 1

#ifdef __cplusplus
extern "C" {
#endif

/* `cumul`, the last variation, is negative before the first iteration. Loops nest, for each thread. */
int adFixedPoint_notReduced(double cumul, float reduction);
int adFixedPoint_tooLarge(double cumul, float minCumul);

#ifdef __cplusplus
}
#endif

#endif
