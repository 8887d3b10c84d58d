#include <complex.h>
double f(double x) {
    double complex z = x + x * I;
    return creal(z * z);
}
