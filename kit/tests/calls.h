/* calls.h: the kit's calls as programs declare them. With KIT_INLINE the current C spelling comes from kit/include, as
 * in programs that are compiled anew; otherwise from nothing but their names, as in programs that are only linked. */
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
#endif

/* X(Name, name, C type) of the types that are passed by value. */
#define VALUE_TYPES(X)                  \
    X(Integer4, integer4, int)          \
    X(Integer8, integer8, long)         \
    X(Real4, real4, float)              \
    X(Real8, real8, double)             \
    X(Complex8, complex8, ccmplx)       \
    X(Complex16, complex16, complex16_t) \
    X(Character, character, char)
#define POINTER_TYPES(X)                \
    X(Pointer4, pointer4, void *)       \
    X(Pointer8, pointer8, void *)
#define WIDTHS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#define OLD_WIDTHS(X) X(1) X(2) X(3) X(4) X(5)
/* X(name, bytes) of the arrays in the kits of 2007 to 2011. */
#define OLD_ARRAYS(X)                                                                                         \
    X(integer4, 4) X(integer8, 8) X(integer16, 16) X(real4, 4) X(real8, 8) X(real16, 16) X(real32, 32)        \
    X(complex4, 4) X(complex8, 8) X(complex16, 16) X(complex32, 32) X(character, 1) X(boolean, 4)             \
    X(pointer4, 8) X(pointer8, 8)

#ifndef KIT_INLINE
#define DECLARE_C(Name, name, T) \
    void push##Name(T x);        \
    void pop##Name(T *x);
#define DECLARE_C_ARRAY(Name, name, T)     \
    void push##Name##Array(T *x, int n);   \
    void pop##Name##Array(T *x, int n);
#define DECLARE_C_CONTROL(bits)          \
    void pushControl##bits##b(int cc);   \
    void popControl##bits##b(int *cc);
VALUE_TYPES(DECLARE_C)
VALUE_TYPES(DECLARE_C_ARRAY)
POINTER_TYPES(DECLARE_C)
WIDTHS(DECLARE_C_CONTROL)
void pushReal16(long double *x);
void popReal16(long double *x);
void pushReal16Array(long double *x, int n);
void popReal16Array(long double *x, int n);
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
#define DECLARE_FORTRAN(Name, name, T) \
    void push##name##_(T *x);          \
    void pop##name##_(T *x);           \
    void look##name##_(T *x);
#define DECLARE_FORTRAN_CONTROL(bits)      \
    void pushcontrol##bits##b_(int *cc);   \
    void popcontrol##bits##b_(int *cc);    \
    void lookcontrol##bits##b_(int *cc);
#define DECLARE_FORTRAN_ARRAY(name, bytes)        \
    void push##name##array_(void *x, int *n);     \
    void pop##name##array_(void *x, int *n);      \
    void look##name##array_(void *x, int *n);
VALUE_TYPES(DECLARE_FORTRAN)
POINTER_TYPES(DECLARE_FORTRAN)
WIDTHS(DECLARE_FORTRAN_CONTROL)
OLD_ARRAYS(DECLARE_FORTRAN_ARRAY)
void pushreal16_(void *x);
void popreal16_(void *x);
void lookreal16_(void *x);
void pushcontrol9b_(int *cc);
void popcontrol9b_(int *cc);
void lookcontrol9b_(int *cc);
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
#define DECLARE_OLD(name, T) \
    void push##name(T x);    \
    void pop##name(T *x);    \
    void look##name(T *x);
#define DECLARE_OLD_CONTROL(bits)        \
    void pushcontrol##bits##b(int cc);   \
    void popcontrol##bits##b(int *cc);   \
    void lookcontrol##bits##b(int *cc);
#define DECLARE_OLD_ARRAY(name, bytes)         \
    void push##name##array(void *x, int n);    \
    void pop##name##array(void *x, int n);     \
    void look##name##array(void *x, int n);
DECLARE_OLD(integer4, int)
DECLARE_OLD(real4, float)
DECLARE_OLD(real8, double)
DECLARE_OLD(pointer4, void *)
DECLARE_OLD(pointer8, void *)
OLD_WIDTHS(DECLARE_OLD_CONTROL)
OLD_ARRAYS(DECLARE_OLD_ARRAY)
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
