/* Control flow reversal, equation 3: what the cut stores. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    double v1 = x[1], v2 = x[2], c = 0.0;
    for (int step = 0; step < 5; step++) {
        double v3 = v1 * v2;
        double v4 = v1 * v3;
        double v6 = cos(v4);
        double v7 = (v3 * v2) * v4;
        v1 = v6;
        v2 = v7;
        c += v1 + v2;
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
