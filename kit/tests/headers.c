/* A program compiled anew may include further headers of its kit, for contexts and debugging, which have the complex types
 * as well: in adComplex.h, under a guard, before our headers or after them, or (2020, -DOF_2020) in adDebug.h.
 *
 *   headers */
#include <complex.h>
#include <stdio.h>

#ifdef OF_2020
#define ADDEBUG_INCLUDED
#elif defined(BEFORE)
#define ADCOMPLEX_INCLUDED
#endif
#if defined(OF_2020) || defined(BEFORE)
typedef struct { float r, i; } ccmplx;
typedef struct { double dr, di; } cdcmplx;
#endif

#include <adBuffer.h>

#ifndef ADCOMPLEX_INCLUDED
#define ADCOMPLEX_INCLUDED
typedef struct { float r, i; } ccmplx;
typedef struct { double dr, di; } cdcmplx;
#endif
static cdcmplx conjugate(cdcmplx z) { return (cdcmplx){z.dr, -z.di}; }

#include <adBinomial.h>
#include <adFixedPoint.h>
#include <adOMP.h>
#include <adStack.h>
#include <admm.h>

int main(void) {
    ccmplx small = {1, 2}, popped = {0, 0};
    cdcmplx wide = conjugate((cdcmplx){3, 4});
    double complex z;
    pushComplex8(small);
    pushComplex16(wide.dr + wide.di * I);
    popComplex16(&z);
    popComplex8(&popped);
    if (creal(z) != 3 || cimag(z) != -4 || popped.r != 1 || popped.i != 2) {
        puts("failed");
        return 1;
    }
    return 0;
}
