/* A function pointer at file scope that nobody changes: the sweeps call what its initialiser names, and verify that. */
#include <math.h>

typedef double (*model)(double t, double *slope);

static double growth(double t, double *slope) {
    *slope = 2.0 * t;
    return t * t + sin(t);
}

static model current = growth;
model other = &growth;

double f_called(int n, double *x, int *ia, double *w) {
    double sum = 0.0, slope;
    (void)ia;
    for (int i = 0; i < n; i++) {
        double y = current(x[i] * w[i], &slope);
        sum += y * slope;
        sum += (*other)(y, &slope);
        sum *= slope;
    }
    return sum;
}
