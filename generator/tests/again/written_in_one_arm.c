/* A pass may overwrite an element: it cannot be stored in front of the pass, so the loop is not run again. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        s += w[i] * w[i] * x[i];
        if (i % 3 == 0) w[i] = 0.25 * x[i];
        s += w[i] * w[i];
    }
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
