/* A pass of the inner loop reads what the pass around it computes, both are run again. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        double u = sin(x[i]) + 0.25 * s;
        for (int j = 0; j < 3; j++) {
            x[j] = 0.5 * x[j] * u;
            s += x[j];
        }
    }
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
