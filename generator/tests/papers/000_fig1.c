/* Handling pointers, Fig. 1: pointers that follow from others need no store. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    double c = 0.0;
    for (int i = 0; i < 8; i++) {
        double *p = &x[i];
        double *r = p;
        c += *p * 2.0 + *r * *r;
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
