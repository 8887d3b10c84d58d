/* Flattening basic blocks, Fig. 2: between two assignments a pointer goes on by what the run says. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)w;
    double c = 0.0;
    double *z = x + 1;
    for (int step = 0; step < 6; step++) {
        *z = -(*z * x[0]);
        z += ia[step];
        double y = *z / x[0];
        c += y * y;
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = 1 + i % 3;
    }
}
