/* adOMP.h: the same distribution of an OpenMP loop over threads in both sweeps. */
#ifndef ADOMP_H
#define ADOMP_H

#ifdef __cplusplus
extern "C" {
#endif

void assertSafeStack(void);

/* The calling thread's part of a loop from lo to hi by stride, bounds included. */
void getStaticSchedule(int lo, int hi, int stride, int *threadlo, int *threadhi);

/* Which iterations a dynamic schedule gave to the calling thread; pushes (start, end) of each chunk, then their
 * number. */
void initDynamicSchedule(void);
void recordDynamicSchedule(int counter, int stride);
void finalizeDynamicSchedule(void);

#ifdef __cplusplus
}
#endif

#endif
