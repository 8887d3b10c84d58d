/* A table says which element is overwritten; it may be one that was read. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    for (int i = 0; i < n; i++) {
        c += t[i] * t[ia[i]];
        t[ia[i]] = 0.5 * x[i];
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 40; i++) ia[i] = i * 7 % 40;
}
