/* Calls in an inner loop fill blocks that each pass of the outer loop finds as the pass before has left them. */
#include <math.h>
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static void shifted(int d, const double *x, double by, double *out) {
    for (int i = 0; i < d; i++) out[i] = x[i] * x[i] - by;
}

static void weighted(int d, const double *a, const double *x, double *out) {
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
    (void)w;
    int d = n / 8, m = n / 10;
    double *centred = malloc((size_t)d * sizeof(double)), *part = malloc((size_t)d * sizeof(double));
    double *term = malloc((size_t)m * sizeof(double)), s = 0.0;
    for (int t = 0; t <= n - d; t++) {
        for (int k = 0; k < m; k++) {
            shifted(d, &x[t], x[k], &centred[0]);
            weighted(d, x, &centred[0], &part[0]);
            term[k] = exp(-0.1 * norm(d, &part[0]));
        }
        s += log(norm(m, term));
    }
    free(centred);
    free(part);
    free(term);
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
