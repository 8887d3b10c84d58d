/* terminal.h: a progress bar on standard error, shown only if that is a terminal; a clock; bytes for people. */
#ifndef SHALLOW_WATER_TERMINAL_H
#define SHALLOW_WATER_TERMINAL_H

#include <stdint.h>

/* Work is counted in units, two for one time step of the primal. `units` is a guess of all that is to come. */
void progress_start(int64_t units);
/* What is being done, at most 28 characters; copied. */
void progress_label(const char *label);
/* Some units are done. Cheap: draws at most ten times a second. */
void progress_add(int32_t units);
/* Removes the bar, so that a line can be printed; it comes back with the next progress_add. */
void progress_clear(void);

/* Seconds of a clock that only goes forward. */
double clock_seconds(void);

/* "2.31 GB", at most 15 characters; decimal units. */
void format_bytes(char out[16], int64_t bytes);

#endif
