/* Handling pointers, Alg. 1: an address that is recovered twice a step. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    double c = 0.0;
    double *p;
    for (int i = 0; i < 8; i++) {
        p = &x[3 * i];
        *p = *p * *p;
        p = &x[3 * i + 1];
        *p = *p * *p;
        c += *p;
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
