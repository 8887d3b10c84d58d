#include <math.h>
#include "shared.h"

#define SCALE 2.0
static const double P[TERMS] = {1.0, 0.5, 0.25};
static double calls;

/* Both sources have a table P, a macro SCALE and a count of calls. */
double model(int n, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        result r;
        double there = other(x[i], &r);
        sum += series(P, x[i]) * there + SCALE * r.error + abs(r.value);
        calls += 1.0; /* counts */
    }
    return sum * calls;
}
