/* adtape_kit_lto.c: the kit for a program that is compiled with -flto, so that its pushes and pops are inlined.
 *
 *   gfortran -O2 -flto program.f90 PREFIX/share/adtape/kit/adtape_kit_lto.c -I PREFIX/include/adtape/kit -ladtape
 *
 * To be compiled by the command and with the flags of the program (differing ones can stop the inlining without a
 * word), in place of -ladtape_kit. Scalars and control are inlined whatever the size of the program, which the compiler
 * would not do by itself beyond a few hundred calls. */
#define ADTAPE_KIT_LTO 1
/* With -O0 nothing is inlined. Calls that end in a jump to the slow path show it the program's line all the same. */
#if !defined(__OPTIMIZE__)
#define ADTAPE_KIT_CALLS
#pragma GCC optimize("O2")
#endif
#include "adtape_kit.c"
