#include <math.h>
double f(double x) {
    return lgamma(x) * x;
}
