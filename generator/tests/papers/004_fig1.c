/* Flattening basic blocks, Fig. 1: one variable of a block carries everything. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    double z = x[0], c = 0.0;
    for (int step = 1; step < 6; step++) {
        z = -(z * x[step]);
        double y = z / x[step];
        c += y * y;
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
