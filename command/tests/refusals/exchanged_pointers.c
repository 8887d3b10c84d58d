#include <math.h>

double f(int n, double *x) {
    double t[5], s = 0.0;
    for (int i = 0; i < 5; i++) {
        t[i] = sin(0.5 * i);
    }
    double *p = x;
    double *q = t;
    for (int k = 0; k < 2; k++) {
        for (int i = 1; i < 4; i++) {
            q[i] = 0.25 * i;
        }
        double *other = p;
        p = q;
        q = other;
    }
    for (int i = 0; i < n; i++) {
        s += x[i] * x[i] * t[1];
    }
    return s;
}
