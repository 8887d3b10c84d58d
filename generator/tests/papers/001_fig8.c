/* Cheaper adjoints, Fig. 8(a): order k, m, j, i of the inversions. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia;
    double c = 0.0;
    int o = 0;
    while (o < 10) {
        int i = o, j = o, l = 0;
        while (l < 10) {
            int k = i - j;
            int m = k + 3 + l;
            i = k + 2 * l;
            x[i] = x[j] * w[k] * x[m];
            c += x[i];
            j = j + m + 4;
            i = i + j + 1;
            x[j] = x[i] * w[k] * x[m];
            c += x[j];
            l = l + 1;
        }
        o = o + 1;
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
