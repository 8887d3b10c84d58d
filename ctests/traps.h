/* Included before all else (gcc -include): from the start on a division by zero, an invalid operation or an overflow
 * ends the program, as with gfortran's -ffpe-trap=zero,invalid,overflow. Threads that it starts trap as well. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fenv.h>

__attribute__((constructor)) static void traps_on(void) { feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW); }
