#include <setjmp.h>
extern jmp_buf place;
double f(double x) {
    if (x < 0.0) longjmp(place, 1);
    return x * x;
}
