/* Control flow reversal, section 2: a branch in a loop, both recomputed. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia;
    int i = 1;
    while (i < 3) {
        if (i < 2) {
            w[2] = sin(x[1]);
        } else {
            w[1] = cos(x[2]);
        }
        i = i + 1;
    }
    w[3] = w[1] * w[2];
    return w[3];
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
