/* A loop that tests behind its passes, with another one inside that runs again, and a trace that nobody reads. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double u = x[0], v = x[1];
    int t = 0;
#pragma adjoint checkpoint snapshots=5
    do {
        double sum = 0.0;
#pragma adjoint again
        for (int i = 0; i < 6; i++) {
            double z = sin(u + x[i]) * v;
            z = z * z;
            sum += exp(-z);
        }
        const double old = u;
        u = v;
        v = 0.1 * old + 0.1 * sum;
        w[t] = u;
        t++;
    } while (t < n);
    return u * v;
}

void tables(int *ia) {
    ia[0] = 0;
}
