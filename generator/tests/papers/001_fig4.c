/* Cheaper adjoints, Fig. 4: one of three integers is stored, the others are inverted from it. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    int j, k = 1, l = 1;
    double c = 0.0;
    for (int step = 0; step < 4; step++) {
        j = k + l;
        k = j + 3;
        l = j + 2;
        c += x[j] * x[k] * x[l];
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
