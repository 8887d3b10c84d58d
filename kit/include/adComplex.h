/* adComplex.h: complex numbers as the kit passes them, by value as structs. */
#ifndef ADTAPE_KIT_ADCOMPLEX_H
#define ADTAPE_KIT_ADCOMPLEX_H

typedef struct {
    float r, i;
} ccmplx;

typedef struct {
    double dr, di;
} cdcmplx;

#endif
