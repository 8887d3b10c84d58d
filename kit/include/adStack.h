/* adStack.h: the calls of generated adjoints in C, inlined. Compile with -I<prefix>/include/adtape/kit and link with
 * -ladtape_kit -ladtape; nothing else changes. docs/kit.md lists every call. */
#ifndef ADSTACK_INCLUDED
#define ADSTACK_INCLUDED
#define ADSTACK_LOADED 1

#ifndef __cplusplus
#include <complex.h>
#endif
#include <stdint.h>

#include "adComplex.h"
#include "adtape_kit.h"

#ifdef __cplusplus
typedef cdcmplx adtape_kit_complex16_t;
#else
typedef double complex adtape_kit_complex16_t;
#endif

#define ADTAPE_KIT_SCALAR_CALL_ ADTAPE_INLINE_
#define ADTAPE_KIT_ARRAY_CALL_ ADTAPE_INLINE_
#include "adtape_kit_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raw bytes. The older kits have a third argument, which is ignored. */
void pushNArray(char *x, int bytes, ...);
void popNArray(char *x, int bytes, ...);

/* Repeat regions. */
void adStack_startRepeat(void);
void adStack_resetRepeat(void);
void adStack_endRepeat(void);

/* Reports, to standard output. */
void adStack_showPeakSize(void);
void adStack_showTotalTraffic(void);
void adStack_showStackSize(int label);
void adStack_showStack(char *locationName);
uint64_t adStack_getCurrentStackSize(void);
void showErrorContext(void);

/* Whether threads have tapes of their own: 1. */
int stackIsThreadSafe(void);

#ifdef __cplusplus
}
#endif

#endif
