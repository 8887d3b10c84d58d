/* memory.h: what the operating system says about memory. */
#ifndef SHALLOW_WATER_MEMORY_H
#define SHALLOW_WATER_MEMORY_H

#include <stdint.h>

/* Bytes that this process can still take, and in *source what sets that: the free memory of the machine, a
 * limit of the container (cgroup) or of the shell (ulimit). */
int64_t memory_available_bytes(const char **source);

/* The most memory that the process has had resident so far. */
int64_t memory_peak_resident_bytes(void);

#endif
