#include <math.h>
double f(double x, double y, int *quotient) {
    return remquo(x, y, quotient);
}
