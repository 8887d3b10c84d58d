/* The entry points, in the C spelling, in the spelling of Fortran compilers (lower case, an underscore, arguments by
 * address), and in the lower-case C spelling of the kits of 2007 to 2011. The types are those of adtape_kit_types.h.
 *
 * KIT_FAST marks what is inlined for -flto in any case, scalars and control; KIT_INLINABLE what may be. Fortran callers
 * pass hidden lengths of character arguments behind the others; they are ignored. */

/* ---- C ------------------------------------------------------------------------------------------ */

typedef cdcmplx adtape_kit_complex16_t;
#define ADTAPE_KIT_SCALAR_CALL_ KIT_FAST
#define ADTAPE_KIT_ARRAY_CALL_ KIT_INLINABLE
#include "adtape_kit_calls.h"

/* Called with two or three arguments; the third is ignored. */
KIT_INLINABLE void pushNArray(const char *x, int bytes) { adtape_kit_push_array_(x, bytes, ADTAPE_KIT_BYTES_); }
KIT_INLINABLE void popNArray(char *x, int bytes) { adtape_kit_pop_array_(x, bytes, ADTAPE_KIT_BYTES_); }

/* ---- Fortran, scalars and arrays ----------------------------------------------------------------- */

/* With -flto the compiler takes these for definitions in Fortran: only integers are sure to be the same type in both
 * languages and to be inlined everywhere. All others, logicals too, are bytes behind the address. */
#define KIT_DEFINE_FORTRAN_INTEGER(Name, name, T, what)                             \
    KIT_FAST void push##name##_(const T *x) { adtape_kit_push_(x, what); }          \
    KIT_FAST void pop##name##_(T *x) { ADTAPE_KIT_POP_(T, x, what); }
#define KIT_DEFINE_FORTRAN(Name, name, T, what)                                     \
    KIT_FAST void push##name##_(const void *x) { adtape_kit_push_(x, what); }       \
    KIT_FAST void pop##name##_(void *x) { adtape_kit_pop_(x, what); }
ADTAPE_KIT_INTEGER_TYPES_(KIT_DEFINE_FORTRAN_INTEGER)
ADTAPE_KIT_NUMBER_TYPES_(KIT_DEFINE_FORTRAN)
ADTAPE_KIT_REAL16_TYPES_(KIT_DEFINE_FORTRAN)
ADTAPE_KIT_POINTER_TYPES_(KIT_DEFINE_FORTRAN)

#define KIT_DEFINE_FORTRAN_ARRAY(Name, name, T, what)                                                               \
    KIT_INLINABLE void push##name##array_(const T *x, const int *n) { adtape_kit_push_array_(x, *n, what); }        \
    KIT_INLINABLE void pop##name##array_(T *x, const int *n) { adtape_kit_pop_array_(x, *n, what); }
#define KIT_DEFINE_FORTRAN_RAW(Name, name, T, what) KIT_DEFINE_FORTRAN_ARRAY(Name, name, void, what)
ADTAPE_KIT_INTEGER_TYPES_(KIT_DEFINE_FORTRAN_ARRAY)
ADTAPE_KIT_NUMBER_TYPES_(KIT_DEFINE_FORTRAN_ARRAY)
ADTAPE_KIT_REAL16_TYPES_(KIT_DEFINE_FORTRAN_ARRAY)
ADTAPE_KIT_POINTER_TYPES_(KIT_DEFINE_FORTRAN_RAW)
ADTAPE_KIT_RAW_TYPES_(KIT_DEFINE_FORTRAN_RAW)

/* With the hidden length among the arguments: -flto compares the types of definition and call. */
KIT_FAST void pushcharacter_(const void *x, size_t length) {
    (void)length;
    adtape_kit_push_(x, ADTAPE_KIT_CHAR_);
}
KIT_FAST void popcharacter_(void *x, size_t length) {
    (void)length;
    adtape_kit_pop_(x, ADTAPE_KIT_CHAR_);
}
KIT_INLINABLE void pushcharacterarray_(const char *x, const int *n, size_t length) {
    (void)length;
    adtape_kit_push_array_(x, *n, ADTAPE_KIT_CHAR_);
}
KIT_INLINABLE void popcharacterarray_(char *x, const int *n, size_t length) {
    (void)length;
    adtape_kit_pop_array_(x, *n, ADTAPE_KIT_CHAR_);
}
KIT_INLINABLE void pushnarray_(const char *x, const int *bytes) {
    adtape_kit_push_array_(x, *bytes, ADTAPE_KIT_BYTES_);
}
KIT_INLINABLE void popnarray_(char *x, const int *bytes) { adtape_kit_pop_array_(x, *bytes, ADTAPE_KIT_BYTES_); }

/* The address of a Fortran pointer to a scalar: the pointer itself. */
KIT_FAST void pushpointer_(void *const *x) { adtape_kit_push_(x, ADTAPE_KIT_POINTERS_); }
KIT_FAST void poppointer_(void **x) { adtape_kit_pop_(x, ADTAPE_KIT_POINTERS_); }

/* ---- Fortran, control and booleans --------------------------------------------------------------- */

ADTAPE_INLINE_ void push_logical(const void *x) {
    int logical;
    memcpy(&logical, x, sizeof logical);
    adtape_kit_push_control_(logical, 1);
}
KIT_FAST void pushboolean_(const void *x) { push_logical(x); }
KIT_FAST void popboolean_(void *x) {
#if defined(ADTAPE_KIT_CALLS)
    adtape_kit_pop_control_((int *)x, 1);
#else
    const int logical = adtape_kit_pop_bit_();
    memcpy(x, &logical, sizeof logical);
#endif
}

/* With logicals. In Fortran the second is a function; of another type than here, so that it cannot be forced inline. */
KIT_FAST void pushbit_(const void *x) { push_logical(x); }
KIT_INLINABLE int popbit_(void) { return adtape_kit_pop_bit_(); }

#define KIT_DEFINE_CONTROL_FORTRAN(bits)                                                         \
    KIT_FAST void pushcontrol##bits##b_(const int *cc) { adtape_kit_push_control_(*cc, bits); }  \
    KIT_FAST void popcontrol##bits##b_(int *cc) { adtape_kit_pop_control_(cc, bits); }
ADTAPE_KIT_FORTRAN_WIDTHS_(KIT_DEFINE_CONTROL_FORTRAN)

/* ---- lower-case C, 2007 to 2011 ----------------------------------------------------------------- */

#define KIT_DEFINE_OLD_SCALAR(Name, name, T, what)                          \
    KIT_FAST void push##name(T x) { adtape_kit_push_(&x, what); }           \
    KIT_FAST void pop##name(T *x) { ADTAPE_KIT_POP_(T, x, what); }
ADTAPE_KIT_OLD_SCALAR_TYPES_(KIT_DEFINE_OLD_SCALAR)

#define KIT_DEFINE_OLD_ARRAY(Name, name, T, what)                                                       \
    KIT_INLINABLE void push##name##array(const void *x, int n) { adtape_kit_push_array_(x, n, what); }  \
    KIT_INLINABLE void pop##name##array(void *x, int n) { adtape_kit_pop_array_(x, n, what); }
ADTAPE_KIT_OLD_ARRAY_TYPES_(KIT_DEFINE_OLD_ARRAY)
KIT_INLINABLE void pushNarray(const char *x, int bytes) { adtape_kit_push_array_(x, bytes, ADTAPE_KIT_BYTES_); }
KIT_INLINABLE void popNarray(char *x, int bytes) { adtape_kit_pop_array_(x, bytes, ADTAPE_KIT_BYTES_); }

#define KIT_DEFINE_OLD_CONTROL(bits)                                                     \
    KIT_FAST void pushcontrol##bits##b(int cc) { adtape_kit_push_control_(cc, bits); }   \
    KIT_FAST void popcontrol##bits##b(int *cc) { adtape_kit_pop_control_(cc, bits); }
ADTAPE_KIT_OLD_WIDTHS_(KIT_DEFINE_OLD_CONTROL)
KIT_FAST void pushbit(int x) { adtape_kit_push_control_(x, 1); }
KIT_FAST int popbit(void) { return adtape_kit_pop_bit_(); }
