/* A loop of stride two reads; an element that it read and one between are overwritten. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    for (int i = 0; i <= n - 2; i += 2) c += t[i] * t[i];
    t[n - 2] = x[2];
    t[1] = x[1];
    c += t[n - 2] * t[1];
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
