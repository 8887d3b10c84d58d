/* BLAS 1: results, numbers and vectors that depend on each other, with both signs of strides. */
#include "blas.h"

struct options {
    char uplo, trans, diag, side;
    int inc;
};

double f(const struct options *with, double *x, double *y) {
    const int five = 5, one = 1, two = 2, inc = with->inc;
    double a = x[0] * y[1], sum = ddot_(&five, x, &one, y, &one);
    daxpy_(&five, &a, x, &inc, y, &one);
    dscal_(&five, &sum, x, &one);
    dswap_(&two, x, &two, y + 1, &inc);
    a = 0.1 * dnrm2_(&five, y, &one) + dasum_(&two, x + 1, &two);
    daxpy_(&two, &a, y, &two, x + 3, &inc);
    dcopy_(&two, y, &inc, x, &two);
    dscal_(&two, &a, x, &two);
    return sum + a * ddot_(&five, x, &inc, y, &inc);
}
