/* Both arms of a branch give back what a later branch of the same pass overwrites and leaves; other passes leave it. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        if (x[2] > 0.45) s += x[1];
        if (i % 3 == 1) {
            if (i % 2 == 1) {
                x[2] = 0.5 * x[2] * x[2];
            } else {
                x[2] = sin(x[2]);
            }
            s += x[2];
            if (i % 4 != 0) x[2] = x[3] - 0.25 * x[2];
        }
    }
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
