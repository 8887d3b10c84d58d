/* Steps that may run again: what has a rule computes the same then. */
#include "rules.h"
double f(int n, double *x, double *y) {
    double s = 0.0;
    for (int t = 0; t < 9; t++) {
        double w[4], v[4];
        for (int i = 0; i < 4; i++) w[i] = 0.3 * x[i] + 0.1 * y[i];
        squares(4, w);
        exponentials(4, w, v);
        for (int i = 0; i < 4; i++) x[i] = x[i] * 0.9 + 0.1 * v[i] * w[i];
        s += inner(4, w, 1, v, 1);
    }
    return s * n;
}
