/* A loop overwrites all but the last element, which one statement overwrites behind it. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    for (int i = 0; i < n + 1; i++) c += t[i] * t[i];
    for (int i = 0; i < n; i++) t[i] = 0.5 * x[i];
    t[n] = x[3];
    for (int i = 0; i < n + 1; i++) c += t[i] * t[i];
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
