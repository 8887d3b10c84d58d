/* reversal.h: how a gradient was computed, what that took, and what theory says. Used by the C and by the Fortran
 * program. */
#ifndef SHALLOW_WATER_REVERSAL_H
#define SHALLOW_WATER_REVERSAL_H

#include <stdint.h>

/* Fortran: type(reversal_t) in fortran/support.f90, the same members in the same order. */
typedef struct reversal {
    int64_t steps;       /* of the time loop */
    int64_t snapshots;   /* states that may be stored at once; 0: the tape of every step is kept instead */
    int64_t state_bytes; /* of one */
    /* measured */
    int64_t snapshot_bytes; /* memory of the snapshots */
    int64_t tape_bytes;     /* the most on the tape at once */
    int64_t extra_steps;    /* run without recording */
    double seconds;
} reversal_t;

/* The least number of extra steps there can be: r n - beta(s + 1, r - 1), where beta(s, r) = (s + r)! / (s! r!) and
 * beta(s, r - 1) < n <= beta(s, r) (Griewank and Walther 2000); 0 without snapshots. */
int64_t reversal_least_steps(int64_t steps, int64_t snapshots);

/* Units of progress (terminal.h) of a gradient. */
int64_t reversal_units(int64_t steps, int64_t snapshots);

/* Appends a row for the plot to the file that DEMO_DATA names, if it names one. */
void reversal_write(const reversal_t *r, const char *language, double primal_seconds);

#endif
