#include <math.h>
#include <stdlib.h>
#include "shared.h"

#ifndef SCALE
#define SCALE 3.0
#endif
static const double P[TERMS] = {2.0, 1.5, -0.25};
static double calls;
struct local { double P; };

double other(double x, result *r) {
    struct local at;
    at.P = SCALE * sin(x);
    calls += 0.5;
    r->value = at.P * series(P, x);
    r->error = calls * x * at.P;
    return P[1] * r->value;
}
