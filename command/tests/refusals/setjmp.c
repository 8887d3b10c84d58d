#include <setjmp.h>
static jmp_buf place;
double f(double x) {
    if (setjmp(place)) return 0.0;
    return x * x;
}
