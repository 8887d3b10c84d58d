#include <stdlib.h>
double f(int bytes, double x) {
    double *a = malloc((size_t)bytes);
    a[0] = x;
    double y = a[0] * a[0];
    free(a);
    return y;
}
