/* Cheaper adjoints, Fig. 2(a): a triangular loop, inverted. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    int j = 1;
    double c = 0.0;
    while (j < n - 8) {
        int k = j + 1;
        j = k + 2;
        x[j] = x[k] * x[j];
        c += x[j];
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
