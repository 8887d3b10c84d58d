/* A sum that only the caller wants: the loop runs again unasked, and no pass runs forward. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        double p = sin(x[i]), q = exp(p);
        s += p * q * q;
    }
    return 0.5 * s;
}

void tables(int *ia) { ia[0] = 0; }
