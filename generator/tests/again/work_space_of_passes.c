/* Calls of each pass fill work space that the pass before has filled, and whose contents in front of the loop are read. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static void shifted(int d, const double *x, double by, double *restrict out) {
    for (int i = 0; i < d; i++) out[i] = x[i] * x[i] - by;
}

static void weighted(int d, const double *a, const double *x, double *restrict out) {
    for (int i = 0; i < d; i++) out[i] = a[i] * x[i];
    for (int i = 1; i < d; i++) out[i] = out[i] + sin(a[i - 1] * x[i]);
}

static double norm(int d, const double *x) {
    double s = x[0] * x[0];
    for (int i = 1; i < d; i++) s += x[i] * x[i];
    return s;
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double centred[5], part[5], term[4], s = 0.0;
    int d = 5;
    for (int i = 0; i < d; i++) part[i] = x[i] + w[i];
    s = norm(d, part);
    for (int t = 0; t <= n - d; t++) {
        for (int k = 0; k < 4; k++) {
            shifted(d, &x[t], x[k], centred);
            weighted(d, x, centred, part);
            term[k] = exp(-0.1 * norm(d, part));
        }
        s += log(term[0] + term[1] + term[2] * term[3]);
    }
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
