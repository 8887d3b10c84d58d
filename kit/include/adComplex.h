/* adComplex.h: complex numbers as the kit passes them, by value as structs. The name of the guard is the kit's, whose
 * other headers (adContext.h, adDebug.h) include a file like this; the adDebug.h of 2020 has the types itself. */
#ifndef ADCOMPLEX_INCLUDED
#define ADCOMPLEX_INCLUDED

#ifndef ADDEBUG_INCLUDED
typedef struct {
    float r, i;
} ccmplx;

typedef struct {
    double dr, di;
} cdcmplx;
#endif

#endif
