/* Cheaper adjoints, Fig. 14(a): cyclic reduction; the length of a level is halved. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia;
    int ii = 64, next = 0;
    double c = 0.0;
    do {
        int begin = next;
        next = next + ii;
        ii = ii / 2;
        int i = next - 1;
        for (int k = begin + 1; k < next; k = k + 2) {
            i++;
            x[i] = x[k] - w[k] * x[k - 1] - w[k + 1] * x[k + 1];
            c += x[i] * x[i];
        }
    } while (ii > 0);
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
