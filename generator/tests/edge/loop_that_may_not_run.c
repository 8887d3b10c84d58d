/* A loop that may make no pass overwrites an element again and again. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    c += t[0] * t[0];
    for (int i = 0; i < n - 4; i++) t[0] = x[i];
    t[0] = x[5];
    c += t[0] * t[0];
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
