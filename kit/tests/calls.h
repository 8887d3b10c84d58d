/* calls.h: the kit's calls as programs declare them. With KIT_INLINE the current C spelling comes from kit/include, as
 * in programs that are compiled anew; otherwise from nothing but the names of the types, as in programs that are only
 * linked. */
#ifndef CALLS_H
#define CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef KIT_INLINE
#include "adBuffer.h"
#include "adOMP.h"
#include "adStack.h"
typedef double complex complex16_t;
#else
typedef struct {
    float r, i;
} ccmplx;
typedef struct {
    double dr, di;
} complex16_t;
typedef complex16_t adtape_kit_complex16_t;
#endif

#include "../include/adtape_kit_types.h"

#ifndef KIT_INLINE
#define DECLARE_C(Name, name, T, what) \
    void push##Name(T x);              \
    void pop##Name(T *x);
#define DECLARE_C_ARRAY(Name, name, T, what) \
    void push##Name##Array(T *x, int n);     \
    void pop##Name##Array(T *x, int n);
#define DECLARE_C_CONTROL(bits)          \
    void pushControl##bits##b(int cc);   \
    void popControl##bits##b(int *cc);
ADTAPE_KIT_VALUE_TYPES_(DECLARE_C)
ADTAPE_KIT_VALUE_TYPES_(DECLARE_C_ARRAY)
ADTAPE_KIT_REAL16_TYPES_(DECLARE_C_ARRAY)
ADTAPE_KIT_POINTER_TYPES_(DECLARE_C)
ADTAPE_KIT_WIDTHS_(DECLARE_C_CONTROL)
void pushReal16(long double *x);
void popReal16(long double *x);
void pushBoolean(int x);
void popBoolean(int *x);
void pushBit(int x);
int popBit();
void pushNArray(char *x, unsigned int bytes, int check_read_only);
void popNArray(char *x, unsigned int bytes, int check_read_only);
void adStack_startRepeat();
void adStack_resetRepeat();
void adStack_endRepeat();
void startStackRepeat1();
void startStackRepeat2();
void resetStackRepeat1();
void resetStackRepeat2();
void endStackRepeat();
void adStack_showPeakSize();
void adStack_showTotalTraffic();
void adStack_showStackSize(int label);
void adStack_showStack(char *name);
uint64_t adStack_getCurrentStackSize();
void showErrorContext();
int stackIsThreadSafe();
void addBufferTraffic(int bytes);
void adStack_showTraffic();
void showTotalTraffic(unsigned long long bytes);
void showStack();
void showStackAndBuffers(char *name);
void showStackAndBuffersSize(int label);
void assertSafeStack();
void getStaticSchedule(int lo, int hi, int stride, int *threadlo, int *threadhi);
void initDynamicSchedule();
void recordDynamicSchedule(int counter, int stride);
void finalizeDynamicSchedule();
#endif
void showStackSize(int i4, int i8, int r4, int r8, int c8, int c16, int s1, int bit, int ptr, int label);

/* Fortran spelling: by address, hidden lengths of character arguments behind the others. */
#define DECLARE_FORTRAN(Name, name, T, what) \
    void push##name##_(T *x);                \
    void pop##name##_(T *x);                 \
    void look##name##_(T *x);
#define DECLARE_FORTRAN_CONTROL(bits)      \
    void pushcontrol##bits##b_(int *cc);   \
    void popcontrol##bits##b_(int *cc);    \
    void lookcontrol##bits##b_(int *cc);
#define DECLARE_FORTRAN_ARRAY(Name, name, T, what) \
    void push##name##array_(void *x, int *n);      \
    void pop##name##array_(void *x, int *n);       \
    void look##name##array_(void *x, int *n);
ADTAPE_KIT_VALUE_TYPES_(DECLARE_FORTRAN)
ADTAPE_KIT_POINTER_TYPES_(DECLARE_FORTRAN)
ADTAPE_KIT_FORTRAN_WIDTHS_(DECLARE_FORTRAN_CONTROL)
ADTAPE_KIT_OLD_ARRAY_TYPES_(DECLARE_FORTRAN_ARRAY)
void pushreal16_(void *x);
void popreal16_(void *x);
void lookreal16_(void *x);
void pushboolean_(int *x);
void popboolean_(int *x);
void lookboolean_(int *x);
void pushbit_(int *x);
int popbit_(void);
int lookbit_(void);
void pushpointer_(void **x);
void poppointer_(void **x);
void pushnarray_(char *x, unsigned int *bytes, int *check_read_only);
void popnarray_(char *x, unsigned int *bytes, int *check_read_only);
void resetadlookstack_(void);

/* C spelling of 2007 to 2011. */
#define DECLARE_OLD(Name, name, T, what) \
    void push##name(T x);                \
    void pop##name(T *x);                \
    void look##name(T *x);
#define DECLARE_OLD_CONTROL(bits)        \
    void pushcontrol##bits##b(int cc);   \
    void popcontrol##bits##b(int *cc);   \
    void lookcontrol##bits##b(int *cc);
#define DECLARE_OLD_ARRAY(Name, name, T, what) \
    void push##name##array(void *x, int n);    \
    void pop##name##array(void *x, int n);     \
    void look##name##array(void *x, int n);
ADTAPE_KIT_OLD_SCALAR_TYPES_(DECLARE_OLD)
ADTAPE_KIT_OLD_WIDTHS_(DECLARE_OLD_CONTROL)
ADTAPE_KIT_OLD_ARRAY_TYPES_(DECLARE_OLD_ARRAY)
void lookinteger8(long *x);
void lookcomplex8(ccmplx *x);
void lookcomplex16(complex16_t *x);
void lookcharacter(char *x);
void lookreal16(long double *x);
void pushbit(int x);
int popbit(void);
int lookbit(void);
void pushNarray(char *x, unsigned int bytes);
void popNarray(char *x, unsigned int bytes);
void lookNarray(char *x, unsigned int bytes);
void resetADLookStack(void);

#endif
