/* kinds.h: every push, pop and look of the kit as a function of an address and a count, in a table. */
#ifndef KINDS_H
#define KINDS_H

#include <string.h>

#include "calls.h"

/* ---- the calls ---------------------------------------------------------------------------------- */

/* Scalars ignore the count. Where the call takes an address it gets this one, aligned or not. */
typedef struct {
    void (*push)(char *x, int n);
    void (*pop)(char *x, int n);
    void (*look)(char *x, int n); /* NULL where the kit has none */
} spelling_t;

#define SCALAR_C(Name, name, T, what)                                                                     \
    static void Name##_push_c(char *x, int n) { T v; (void)n; memcpy(&v, x, sizeof v); push##Name(v); }  \
    static void Name##_pop_c(char *x, int n) { T v; (void)n; pop##Name(&v); memcpy(x, &v, sizeof v); }
#define SCALAR_FORTRAN(Name, name, T, what)                                         \
    static void Name##_push_f(char *x, int n) { (void)n; push##name##_((T *)x); }  \
    static void Name##_pop_f(char *x, int n) { (void)n; pop##name##_((T *)x); }    \
    static void Name##_look_f(char *x, int n) { (void)n; look##name##_((T *)x); }  \
    static void Name##_look_old(char *x, int n) { (void)n; look##name((T *)x); }
#define SCALAR_OLD(Name, name, T, what)                                                                   \
    static void Name##_push_old(char *x, int n) { T v; (void)n; memcpy(&v, x, sizeof v); push##name(v); }  \
    static void Name##_pop_old(char *x, int n) { T v; (void)n; pop##name(&v); memcpy(x, &v, sizeof v); }
#define ARRAY_C(Name, name, T, what)                                                 \
    static void Name##Array_push_c(char *x, int n) { push##Name##Array((T *)x, n); }  \
    static void Name##Array_pop_c(char *x, int n) { pop##Name##Array((T *)x, n); }
#define ARRAY_OLD(Name, name, T, what)                                              \
    static void name##_array_push_f(char *x, int n) { push##name##array_(x, &n); }  \
    static void name##_array_pop_f(char *x, int n) { pop##name##array_(x, &n); }    \
    static void name##_array_look_f(char *x, int n) { look##name##array_(x, &n); }  \
    static void name##_array_push_old(char *x, int n) { push##name##array(x, n); }  \
    static void name##_array_pop_old(char *x, int n) { pop##name##array(x, n); }    \
    static void name##_array_look_old(char *x, int n) { look##name##array(x, n); }
ADTAPE_KIT_VALUE_TYPES_(SCALAR_C)
ADTAPE_KIT_VALUE_TYPES_(SCALAR_FORTRAN)
ADTAPE_KIT_VALUE_TYPES_(ARRAY_C)
ADTAPE_KIT_REAL16_TYPES_(ARRAY_C)
ADTAPE_KIT_POINTER_TYPES_(SCALAR_C)
ADTAPE_KIT_POINTER_TYPES_(SCALAR_FORTRAN)
ADTAPE_KIT_OLD_SCALAR_TYPES_(SCALAR_OLD)
ADTAPE_KIT_OLD_ARRAY_TYPES_(ARRAY_OLD)

static void Real16_push_c(char *x, int n) { (void)n; pushReal16((long double *)x); }
static void Real16_pop_c(char *x, int n) { (void)n; popReal16((long double *)x); }
static void Real16_push_f(char *x, int n) { (void)n; pushreal16_(x); }
static void Real16_pop_f(char *x, int n) { (void)n; popreal16_(x); }
static void Real16_look_f(char *x, int n) { (void)n; lookreal16_(x); }
static void Real16_look_old(char *x, int n) { (void)n; lookreal16((long double *)x); }
static void pointer_push_f(char *x, int n) { (void)n; pushpointer_((void **)x); }
static void pointer_pop_f(char *x, int n) { (void)n; poppointer_((void **)x); }

static void bytes_push_c(char *x, int n) { pushNArray(x, (unsigned)n, 1); }
static void bytes_pop_c(char *x, int n) { popNArray(x, (unsigned)n, 1); }
static void bytes_push_f(char *x, int n) { unsigned m = (unsigned)n; int yes = 1; pushnarray_(x, &m, &yes); }
static void bytes_pop_f(char *x, int n) { unsigned m = (unsigned)n; int yes = 1; popnarray_(x, &m, &yes); }
static void bytes_push_old(char *x, int n) { pushNarray(x, (unsigned)n); }
static void bytes_pop_old(char *x, int n) { popNarray(x, (unsigned)n); }
static void bytes_look_old(char *x, int n) { lookNarray(x, (unsigned)n); }

#define CONTROL_C(bits)                                                                                          \
    static void control##bits##_push_c(char *x, int n) { int v; (void)n; memcpy(&v, x, 4); pushControl##bits##b(v); } \
    static void control##bits##_pop_c(char *x, int n) { int v; (void)n; popControl##bits##b(&v); memcpy(x, &v, 4); }
#define CONTROL_FORTRAN(bits)                                                                          \
    static void control##bits##_push_f(char *x, int n) { (void)n; pushcontrol##bits##b_((int *)x); }  \
    static void control##bits##_pop_f(char *x, int n) { (void)n; popcontrol##bits##b_((int *)x); }
#define CONTROL_LOOK(bits) \
    static void control##bits##_look_f(char *x, int n) { (void)n; lookcontrol##bits##b_((int *)x); }
#define CONTROL_OLD(bits)                                                                                              \
    static void control##bits##_push_old(char *x, int n) { int v; (void)n; memcpy(&v, x, 4); pushcontrol##bits##b(v); } \
    static void control##bits##_pop_old(char *x, int n) { int v; (void)n; popcontrol##bits##b(&v); memcpy(x, &v, 4); }  \
    static void control##bits##_look_old(char *x, int n) { int v; (void)n; lookcontrol##bits##b(&v); memcpy(x, &v, 4); }
ADTAPE_KIT_WIDTHS_(CONTROL_C)
ADTAPE_KIT_FORTRAN_WIDTHS_(CONTROL_FORTRAN)
ADTAPE_KIT_FORTRAN_WIDTHS_(CONTROL_LOOK)
ADTAPE_KIT_OLD_WIDTHS_(CONTROL_OLD)

static int int_at(const char *x) { int v; memcpy(&v, x, sizeof v); return v; }
static void put_int(char *x, int v) { memcpy(x, &v, sizeof v); }
static void boolean_push_c(char *x, int n) { (void)n; pushBoolean(int_at(x)); }
static void boolean_pop_c(char *x, int n) { int v; (void)n; popBoolean(&v); put_int(x, v); }
static void boolean_push_f(char *x, int n) { (void)n; pushboolean_((int *)x); }
static void boolean_pop_f(char *x, int n) { (void)n; popboolean_((int *)x); }
static void boolean_look_f(char *x, int n) { (void)n; lookboolean_((int *)x); }
static void bit_push_c(char *x, int n) { (void)n; pushBit(int_at(x)); }
static void bit_pop_c(char *x, int n) { (void)n; put_int(x, popBit()); }
static void bit_push_f(char *x, int n) { (void)n; pushbit_((int *)x); }
static void bit_pop_f(char *x, int n) { (void)n; put_int(x, popbit_()); }
static void bit_look_f(char *x, int n) { (void)n; put_int(x, lookbit_()); }
static void bit_push_old(char *x, int n) { (void)n; pushbit(int_at(x)); }
static void bit_pop_old(char *x, int n) { (void)n; put_int(x, popbit()); }
static void bit_look_old(char *x, int n) { (void)n; put_int(x, lookbit()); }

/* ---- kinds -------------------------------------------------------------------------------------- */

/* What is pushed by any spelling of a kind is popped by any other. Sizes and streams are what the kits have, written down
 * here apart from the library's table, which they check. */
typedef struct {
    const char *name;
    int bytes;   /* of one value; of control, the number of bits, negative */
    int is_array;
    int stream;  /* where the order is by type */
    spelling_t spelling[4];
} kind_t;

#define SPELLING_C(f) {f##_push_c, f##_pop_c, NULL}
#define SPELLING_F(f) {f##_push_f, f##_pop_f, f##_look_f}
#define SPELLING_OLD(f) {f##_push_old, f##_pop_old, f##_look_old}
#define SPELLING_OLD_ARRAY(f) {f##_array_push_f, f##_array_pop_f, f##_array_look_f}, \
                              {f##_array_push_old, f##_array_pop_old, f##_array_look_old}
#define LOOK_OLD(f) {f##_push_c, f##_pop_c, f##_look_old}

#define CONTROL_KIND(bits) {"control" #bits, -bits, 0, 9, {SPELLING_C(control##bits), SPELLING_F(control##bits), SPELLING_OLD(control##bits)}},
#define CONTROL_KIND_NEW(bits) {"control" #bits, -bits, 0, 9, {SPELLING_C(control##bits), SPELLING_F(control##bits)}},
static const kind_t kinds[] = {
    {"integer4", 4, 0, 1, {SPELLING_C(Integer4), SPELLING_F(Integer4), SPELLING_OLD(Integer4)}},
    {"integer8", 8, 0, 2, {LOOK_OLD(Integer8), SPELLING_F(Integer8)}},
    {"real4", 4, 0, 3, {SPELLING_C(Real4), SPELLING_F(Real4), SPELLING_OLD(Real4)}},
    {"real8", 8, 0, 4, {SPELLING_C(Real8), SPELLING_F(Real8), SPELLING_OLD(Real8)}},
    {"real16", 16, 0, 5, {LOOK_OLD(Real16), SPELLING_F(Real16)}},
    {"complex8", 8, 0, 6, {LOOK_OLD(Complex8), SPELLING_F(Complex8)}},
    {"complex16", 16, 0, 7, {LOOK_OLD(Complex16), SPELLING_F(Complex16)}},
    {"character", 1, 0, 8, {LOOK_OLD(Character), SPELLING_F(Character)}},
    {"pointer4", 8, 0, 10, {SPELLING_C(Pointer4), SPELLING_F(Pointer4), SPELLING_OLD(Pointer4), {pointer_push_f, pointer_pop_f, NULL}}},
    {"pointer8", 8, 0, 10, {SPELLING_C(Pointer8), SPELLING_F(Pointer8), SPELLING_OLD(Pointer8)}},
    {"boolean", -1, 0, 9, {SPELLING_C(boolean), SPELLING_F(boolean)}},
    {"bit", -1, 0, 9, {SPELLING_C(bit), SPELLING_F(bit), SPELLING_OLD(bit)}},
    ADTAPE_KIT_OLD_WIDTHS_(CONTROL_KIND)
    CONTROL_KIND_NEW(6) CONTROL_KIND_NEW(7) CONTROL_KIND_NEW(8)
    {"control9", -9, 0, 9, {SPELLING_F(control9)}},
    {"integer4 array", 4, 1, 0, {SPELLING_C(Integer4Array), SPELLING_OLD_ARRAY(integer4)}},
    {"integer8 array", 8, 1, 0, {SPELLING_C(Integer8Array), SPELLING_OLD_ARRAY(integer8)}},
    {"real4 array", 4, 1, 0, {SPELLING_C(Real4Array), SPELLING_OLD_ARRAY(real4)}},
    {"real8 array", 8, 1, 0, {SPELLING_C(Real8Array), SPELLING_OLD_ARRAY(real8)}},
    {"real16 array", 16, 1, 0, {SPELLING_C(Real16Array), SPELLING_OLD_ARRAY(real16)}},
    {"complex8 array", 8, 1, 0, {SPELLING_C(Complex8Array), SPELLING_OLD_ARRAY(complex8)}},
    {"complex16 array", 16, 1, 0, {SPELLING_C(Complex16Array), SPELLING_OLD_ARRAY(complex16)}},
    {"character array", 1, 1, 0, {SPELLING_C(CharacterArray), SPELLING_OLD_ARRAY(character)}},
    {"integer16 array", 16, 1, 0, {SPELLING_OLD_ARRAY(integer16)}},
    {"real32 array", 32, 1, 0, {SPELLING_OLD_ARRAY(real32)}},
    {"complex4 array", 4, 1, 0, {SPELLING_OLD_ARRAY(complex4)}},
    {"complex32 array", 32, 1, 0, {SPELLING_OLD_ARRAY(complex32)}},
    {"boolean array", 4, 1, 0, {SPELLING_OLD_ARRAY(boolean)}},
    {"pointer4 array", 8, 1, 0, {SPELLING_OLD_ARRAY(pointer4)}},
    {"pointer8 array", 8, 1, 0, {SPELLING_OLD_ARRAY(pointer8)}},
    {"bytes", 1, 1, 0, {SPELLING_C(bytes), {bytes_push_f, bytes_pop_f, NULL}, SPELLING_OLD(bytes)}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

#endif
