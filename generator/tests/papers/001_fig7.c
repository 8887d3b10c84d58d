/* Cheaper adjoints, Fig. 7(a): two stores into arrays, indices inverted. */
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
        j = j + 1;
        x[k] = 2.0 * x[j];
        c += x[k];
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
