/* adtape_inlined.c: pushes and pops of scalars, control and counts of the Fortran module, for a program that is compiled
 * with -flto, so that it inlines them.
 *
 *   gfortran -O2 -flto program.f90 PREFIX/share/adtape/fortran/adtape_inlined.c -I PREFIX/include ... -ladtape
 *
 * To be compiled by the command and with the flags of the program, at the latest when it is linked: a compiler inlines
 * nothing that was compiled for another processor. It comes before libadtape_fortran.a, which has them as calls. Without
 * optimisation nothing is inlined, and those calls stay: messages name the program's line. */
#if defined(__OPTIMIZE__)
#define ADTAPE_INLINED
#include "adtape_glue.c"
#else
extern int adtape_inlines_with_optimisation_only; /* C forbids a file without a declaration */
#endif
