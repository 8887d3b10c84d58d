/* What a pass begins with is stored, what only grows by a sum is not, and an index has its own recipe. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double u = 0.3, s = 0.0;
    for (int i = 0; i < n; i++) {
        double p = sin(u * x[i]), q = exp(p) * u;
        double r = q / (1.0 + p * p);
        u = 0.5 * cos(r) + 0.1 * q;
        s += r * p;
    }
    return s + u;
}

void tables(int *ia) {
    ia[0] = 0;
}
