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

/* Types passed by value: X(Name, C type, what). */
#define ADTAPE_KIT_VALUES_(X)                       \
    X(Integer4, int, ADTAPE_KIT_INTEGER4_)          \
    X(Integer8, long, ADTAPE_KIT_INTEGER8_)         \
    X(Real4, float, ADTAPE_KIT_REAL4_)              \
    X(Real8, double, ADTAPE_KIT_REAL8_)             \
    X(Complex8, ccmplx, ADTAPE_KIT_COMPLEX8_)       \
    X(Complex16, adtape_kit_complex16_t, ADTAPE_KIT_COMPLEX16_) \
    X(Character, char, ADTAPE_KIT_CHAR_)

#define ADTAPE_KIT_DEFINE_SCALAR_(Name, T, what)                                              \
    ADTAPE_INLINE_ void push##Name(T x) { adtape_kit_push_(&x, sizeof x, what); }           \
    ADTAPE_INLINE_ void pop##Name(T *x) { ADTAPE_KIT_POP_(T, x, what); }
#define ADTAPE_KIT_DEFINE_ARRAY_(Name, T, what)                                                              \
    ADTAPE_INLINE_ void push##Name##Array(T *x, int n) { adtape_kit_push_array_(x, n, sizeof *x, what); }  \
    ADTAPE_INLINE_ void pop##Name##Array(T *x, int n) { adtape_kit_pop_array_(x, n, sizeof *x, what); }

ADTAPE_KIT_VALUES_(ADTAPE_KIT_DEFINE_SCALAR_)
ADTAPE_KIT_VALUES_(ADTAPE_KIT_DEFINE_ARRAY_)
ADTAPE_KIT_DEFINE_ARRAY_(Real16, long double, ADTAPE_KIT_REAL16_)
ADTAPE_KIT_DEFINE_SCALAR_(Pointer4, void *, ADTAPE_KIT_POINTERS_)
ADTAPE_KIT_DEFINE_SCALAR_(Pointer8, void *, ADTAPE_KIT_POINTERS_)

ADTAPE_INLINE_ void pushReal16(long double *x) { adtape_kit_push_(x, 16, ADTAPE_KIT_REAL16_); }
ADTAPE_INLINE_ void popReal16(long double *x) { adtape_kit_pop_(x, 16, ADTAPE_KIT_REAL16_); }

ADTAPE_INLINE_ void pushBoolean(int x) { adtape_kit_push_control_(x, 1); }
ADTAPE_INLINE_ void popBoolean(int *x) { adtape_kit_pop_control_(x, 1); }
ADTAPE_INLINE_ void pushBit(int x) { adtape_kit_push_control_(x, 1); }
ADTAPE_INLINE_ int popBit(void) { return adtape_kit_pop_bit_(); }

#define ADTAPE_KIT_DEFINE_CONTROL_(bits)                                                             \
    ADTAPE_INLINE_ void pushControl##bits##b(int cc) { adtape_kit_push_control_(cc, bits); }       \
    ADTAPE_INLINE_ void popControl##bits##b(int *cc) { adtape_kit_pop_control_(cc, bits); }
ADTAPE_KIT_DEFINE_CONTROL_(1)
ADTAPE_KIT_DEFINE_CONTROL_(2)
ADTAPE_KIT_DEFINE_CONTROL_(3)
ADTAPE_KIT_DEFINE_CONTROL_(4)
ADTAPE_KIT_DEFINE_CONTROL_(5)
ADTAPE_KIT_DEFINE_CONTROL_(6)
ADTAPE_KIT_DEFINE_CONTROL_(7)
ADTAPE_KIT_DEFINE_CONTROL_(8)

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
