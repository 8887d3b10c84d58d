/* adtape_kit_types.h: the types of the kit's calls, in one table. The headers, the library and its tests make their
 * functions from it; symbols and docs/kit.md are checked against what they export.
 *
 * A row is X(Name, name, T, what): as in the names of C and of Fortran, the type that C passes, and what a call moves
 * (adtape_kit.h), which has the size. */
#ifndef ADTAPE_KIT_TYPES_H
#define ADTAPE_KIT_TYPES_H

#define ADTAPE_KIT_ROW_I4_(X) X(Integer4, integer4, int, ADTAPE_KIT_INTEGER4_)
#define ADTAPE_KIT_ROW_I8_(X) X(Integer8, integer8, long, ADTAPE_KIT_INTEGER8_)
#define ADTAPE_KIT_ROW_R4_(X) X(Real4, real4, float, ADTAPE_KIT_REAL4_)
#define ADTAPE_KIT_ROW_R8_(X) X(Real8, real8, double, ADTAPE_KIT_REAL8_)
#define ADTAPE_KIT_ROW_C8_(X) X(Complex8, complex8, ccmplx, ADTAPE_KIT_COMPLEX8_)
#define ADTAPE_KIT_ROW_C16_(X) X(Complex16, complex16, adtape_kit_complex16_t, ADTAPE_KIT_COMPLEX16_)

/* Types that C passes by value. Characters are apart, because Fortran passes their length as well. */
#define ADTAPE_KIT_INTEGER_TYPES_(X) ADTAPE_KIT_ROW_I4_(X) ADTAPE_KIT_ROW_I8_(X)
#define ADTAPE_KIT_NUMBER_TYPES_(X) \
    ADTAPE_KIT_ROW_R4_(X) ADTAPE_KIT_ROW_R8_(X) ADTAPE_KIT_ROW_C8_(X) ADTAPE_KIT_ROW_C16_(X)
#define ADTAPE_KIT_CHARACTER_TYPES_(X) X(Character, character, char, ADTAPE_KIT_CHAR_)
#define ADTAPE_KIT_VALUE_TYPES_(X) \
    ADTAPE_KIT_INTEGER_TYPES_(X) ADTAPE_KIT_NUMBER_TYPES_(X) ADTAPE_KIT_CHARACTER_TYPES_(X)
/* Whole pointers, also under the name that says 4: on a 64-bit machine there is no other kind. */
#define ADTAPE_KIT_POINTER_TYPES_(X)                     \
    X(Pointer4, pointer4, void *, ADTAPE_KIT_POINTERS_)  \
    X(Pointer8, pointer8, void *, ADTAPE_KIT_POINTERS_)
/* Sixteen bytes by address in both languages: long double in C, real(16) or real(10) in Fortran. */
#define ADTAPE_KIT_REAL16_TYPES_(X) X(Real16, real16, long double, ADTAPE_KIT_REAL16_)
/* Types that have arrays only, bytes in C. */
#define ADTAPE_KIT_RAW_TYPES_(X)                                 \
    X(Boolean, boolean, char, ADTAPE_KIT_LOGICAL_)               \
    X(Integer16, integer16, char, ADTAPE_KIT_RAW16_)             \
    X(Real32, real32, char, ADTAPE_KIT_COMPLEX32_)               \
    X(Complex4, complex4, char, ADTAPE_KIT_REAL4_)               \
    X(Complex32, complex32, char, ADTAPE_KIT_COMPLEX32_)

/* What the kits of 2007 to 2011 have in lower-case C: scalars and arrays. */
#define ADTAPE_KIT_OLD_SCALAR_TYPES_(X) \
    ADTAPE_KIT_ROW_I4_(X) ADTAPE_KIT_ROW_R4_(X) ADTAPE_KIT_ROW_R8_(X) ADTAPE_KIT_POINTER_TYPES_(X)
#define ADTAPE_KIT_OLD_ARRAY_TYPES_(X)                                                                      \
    ADTAPE_KIT_VALUE_TYPES_(X) ADTAPE_KIT_REAL16_TYPES_(X) ADTAPE_KIT_POINTER_TYPES_(X) ADTAPE_KIT_RAW_TYPES_(X)

/* Bits of a control value: X(bits). */
#define ADTAPE_KIT_OLD_WIDTHS_(X) X(1) X(2) X(3) X(4) X(5)
#define ADTAPE_KIT_WIDTHS_(X) ADTAPE_KIT_OLD_WIDTHS_(X) X(6) X(7) X(8)
#define ADTAPE_KIT_FORTRAN_WIDTHS_(X) ADTAPE_KIT_WIDTHS_(X) X(9)

#endif
