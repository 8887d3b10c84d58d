#include <math.h>
static double last, kept;
static void refresh(double x) {
    if (x != last) {
        kept = sin(x);
        last = x;
    }
}
double f(double x) {
    refresh(x);
    return kept * kept;
}
