#include <errno.h>
#include <math.h>

double f(double x) {
    errno = 0;
    double value = pow(x, 0.3);
    if (errno != 0) {
        return 0.0;
    }
    return value;
}
