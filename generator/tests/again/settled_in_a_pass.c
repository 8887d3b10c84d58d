/* How often an inner loop runs is known when it has run: the second run counts its passes, too. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double s = 1.0;
    for (int i = 0; i < n / 8; i++) {
        double start = s, before;
        do {
            before = s;
            s = (2.0 * s * s * s / 3.0 + x[i] * start + x[i + 1]) / (s * s + 1.0);
        } while (fabs(s - before) > 1e-3);
    }
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
