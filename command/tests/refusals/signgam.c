#define _DEFAULT_SOURCE
#include <math.h>
double f(double x) {
    double y = lgamma(x);
    return signgam > 0 ? y : -y * x;
}
