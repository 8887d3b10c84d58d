/* adtape_kit.c: the calls that generated adjoints make, under the names of their stock run-time ("the kit"), over
 * the inline header of the tape.
 *
 * One translation unit, three uses: libadtape_kit.a and libadtape_kit.so.0 for programs that are linked anew only, and,
 * through adtape_kit_lto.c, the source from which the calls are inlined into a program compiled with -flto. What a
 * program with the shared library calls most is in adtape_kit_calls.c.
 *
 *   adtape_kit.h    fast path, inlined here and into C programs that are compiled anew
 *   adtape_kit_types.h, adtape_kit_calls.h   the one table of types, pushes and pops in the C spelling
 *   src/thread.c    a thread's tapes, order by type, the slow path
 *   src/adtape_kit_entry.c   the entry points; reports skip this file and adtape_kit_calls.h by their names
 *   src/repeat.c    repeat regions, of both interfaces
 *   src/look.c      reading without popping
 *   src/report.c    what the kit prints
 *   src/omp.c       schedules of OpenMP loops
 *   src/binomial.c  binomial checkpointing, fixed points
 *   src/admm.c      addresses, over src/table.c and src/treap.c; with ADTAPE_KIT_ADMM2020, the arguments of 2020
 *
 * In the libraries entry points are weak: a program that keeps its own buffers (adBuffer.o) and replaces only the stack
 * below them has some of them itself. For -flto they must not be (what can be replaced is not inlined), nor visible
 * outside (the same, in a shared library). */
#if !defined(ADTAPE_KIT_LTO)
#define ADTAPE_KIT_CALLS
#endif
#include "adtape_kit.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "adComplex.h"

#if __SIZEOF_POINTER__ != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "adtape_kit needs a 64-bit little-endian machine"
#endif

/* KIT_API is never inlined: KIT_SITE would be the call of the function that it is inlined into. KIT_INLINABLE ends in a
 * jump where it is not inlined, so that the slow path sees the program's line (-O1 leaves that out by itself). */
#if defined(ADTAPE_KIT_LTO)
#define KIT_API __attribute__((visibility("hidden"), noinline))
#define KIT_INLINABLE __attribute__((visibility("hidden"), optimize("optimize-sibling-calls")))
#define KIT_FAST __attribute__((visibility("hidden"), always_inline))
#pragma GCC diagnostic ignored "-Wattributes" /* that always_inline without inline may fail */
#else
#define KIT_API __attribute__((visibility("default"), weak))
#define KIT_INLINABLE KIT_API
#define KIT_FAST KIT_API
#endif
/* Binomial checkpointing and fixed points: a program may bring its own (adBinomial.o), in every build. */
#define KIT_REPLACEABLE __attribute__((visibility("default"), weak, noinline))
#define KIT_SITE __builtin_return_address(0)

#include "src/thread.c"

#include "src/binomial.c"
#include "src/admm.c"
#include "src/adtape_kit_entry.c"
#include "src/look.c"
#include "src/omp.c"
#include "src/repeat.c"
#include "src/report.c"
