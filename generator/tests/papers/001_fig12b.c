/* Cheaper adjoints, Fig. 12(b): bounds and indices by minimum and maximum. */
#include <math.h>

static int larger(int a, int b) {
    return a > b ? a : b;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia;
    double c = 0.0;
    int begin = 0, end = 9, inner = 1, outer = 8, width = 2;
    for (int j = larger(0, 9 - width); j <= 9; j++) {
        int distance = 9 - j;
        int at = distance;
        for (int k = 0; k < 3; k++) {
            for (int i = larger(begin, at + inner); i <= smaller(end, outer - at); i++) {
                int mirrored = larger(i, inner + width);
                mirrored = smaller(mirrored, outer - width);
                x[10 * j + i] = x[10 * 7 + mirrored] * w[mirrored];
            }
        }
    }
    for (int i = 0; i < 100; i++) {
        c += x[i] * x[i];
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
