#include <complex.h>
double f(double x) {
    double y = 1.0;
    y = y + 2.0 * clog(x);
    return y;
}
