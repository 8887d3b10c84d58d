/* Control flow reversal, Fig. 6: loops in a loop, one that runs by what nothing keeps, one that runs by its index. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    double s = 1.0;
    for (int i = 0; i < 8; i++) {
        while (s < 4.0) {
            s = 1.5 * s + x[i];
        }
        for (int k = i; k < 10; k++) {
            s = 0.25 * s + 0.5 * x[k];
        }
    }
    return s;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
