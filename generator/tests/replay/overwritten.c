#include <math.h>

/* y[0] is read before it is overwritten, y[1] is not. */
void f(double x, double *y) {
    y[0] = sin(y[0]) * x;
    y[1] = 0.0;
    y[0] = y[0] * y[0];
}
