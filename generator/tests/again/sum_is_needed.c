/* The root needs the sum, so passes run forward: the loop does not run again unasked. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        double p = sin(x[i]), q = exp(p);
        s += p * q * q + 8.0;
    }
    return sqrt(s);
}

void tables(int *ia) { ia[0] = 0; }
