/* Calls fill the work arrays of a pass that runs again, one of them reads what it has written itself. */
#include <math.h>
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static void subtract(int d, const double *a, const double *b, double *out) {
    for (int i = 0; i < d; i++) out[i] = a[i] - b[i] * b[i];
}

static void triangle(int d, const double *q, const double *a, double *out) {
    for (int i = 0; i < d; i++) out[i] = q[i] * a[i];
    for (int i = 0; i < d; i++) {
        for (int j = i + 1; j < d; j++) out[j] = out[j] + sin(q[i]) * a[i];
    }
}

static double norm(int d, const double *a) {
    double s = a[0] * a[0];
    for (int i = 1; i < d; i++) s += a[i] * a[i];
    return s;
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    int d = 4;
    double s = 0.0;
    double *centred = malloc((unsigned long)d * sizeof(double)), *product = malloc((unsigned long)d * sizeof(double));
    for (int i = 0; i < n - 8; i++) {
        subtract(d, &x[i], &x[4], centred);
        triangle(d, &x[i + 1], centred, product);
        s += norm(d, product);
    }
    free(centred);
    free(product);
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
