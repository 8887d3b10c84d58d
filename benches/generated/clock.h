/* What the programs of this folder time with. */
#ifndef GENERATED_CLOCK_H
#define GENERATED_CLOCK_H

#include <time.h>

/* Time of the processor that the program took. */
static inline double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* What the models compute, so that no compiler leaves them out. */
static volatile double computed;

#endif
