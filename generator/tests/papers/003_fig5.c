/* Control flow reversal, Fig. 5: a branch on a value that nothing keeps. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double s = 1.0;
    for (int i = 0; i < n; i++) {
        if (s > 1.0) {
            s = 0.25 * s + x[i];
        } else {
            s = 2.0 * s - 0.5 * x[i];
        }
    }
    return s;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
