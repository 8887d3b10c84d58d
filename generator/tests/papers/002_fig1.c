/* TBR analysis, Fig. 1: the branch is computed again from i and j, and a is never stored. */
#include <math.h>

static int larger(int a, int b) {
    return a > b ? a : b;
}

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    int i = 0, j = 10;
    double a = 3.14159, c = 0.0;
    while (j > 2) {
        if (larger(i, j) > 7) {
            x[i] = j + sin(x[i]);
        } else {
            x[j] = j * cos(x[j]) + a;
        }
        i = i + 1;
        j = j - 1;
        a = a / 2.0;
    }
    for (i = 0; i < 12; i++) {
        c += x[i] * x[i];
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
