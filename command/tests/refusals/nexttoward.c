#include <math.h>
double f(double x) {
    return nexttoward(x, 1.0L) * x;
}
