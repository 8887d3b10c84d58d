/* A pass reads an element that the pass three behind it overwrites. Behind the loop, what the passes read is overwritten. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = 0.0, scale[2] = {x[0], x[1]};
#pragma adjoint checkpoint snapshots=4
    for (int i = 0; i + 3 < n; i++) {
        s = s * scale[0] + sin(w[i + 3] * x[i]) * scale[1];
        w[i] = 0.5 * x[i] * s;
    }
    scale[0] = s * s;
    scale[1] = w[7];
    return s * scale[0] + scale[1];
}

void tables(int *ia) {
    ia[0] = 0;
}
