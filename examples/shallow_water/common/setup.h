/* setup.h: which problem is run, and how much of it fits into the memory there is. Used by the C and by the
 * Fortran program, so that both run the same problem. */
#ifndef SHALLOW_WATER_SETUP_H
#define SHALLOW_WATER_SETUP_H

#include <stdint.h>

/* Fortran: type(setup_t) in fortran/support.f90, the same members in the same order. */
typedef struct setup {
    int32_t nx, ny;         /* cells along and across the channel */
    int32_t steps;          /* time steps */
    int32_t observe_every;  /* time steps from one observation time to the next; divides steps */
    int32_t iterations;     /* of the optimiser */
    int32_t shrunk;         /* 1: smaller than SIZE asks for, because of the memory */
    int32_t budget_of_tape; /* 1: budget_bytes is for the tape alone */
    int32_t reserved;
    int64_t budget_bytes;   /* memory that may be used */
    int64_t tape_bytes;     /* an upper bound of what the tape will take */
    char size_name[16];     /* "small", "default", "large" */
    char budget_source[64]; /* what sets budget_bytes, for people */
    char asked[96];         /* the problem that SIZE asks for, for people */
} setup_t;

/* Reads SIZE and the size of the memory. `limit_bytes` is the tape library's own limit. Prints a message and
 * ends the program with code 2 if SIZE is not known or if not even the smallest problem fits. */
void setup_choose(setup_t *s, int64_t limit_bytes);

/* Bytes of tape that one gradient takes, from above: every push of the adjoint counted. */
int64_t setup_tape_bytes(int32_t nx, int32_t ny, int32_t steps);

#endif
