/* Loops that overwrite one element after the other of several arrays: at once where no pass reads what one before it has
 * overwritten; in each pass where the second store reads what the first has left. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double c = 0.0, t[100], u[100], v[100];
    for (int i = 0; i < 100; i++) {
        t[i] = 0.2 + 0.1 * x[i];
        u[i] = 0.3 + 0.1 * x[99 - i];
        v[i] = 0.0;
    }
    for (int k = 0; k < n; k++) c += t[k] * t[k] * u[k];
    for (int k = 0; k < n; k++) {
        t[k] = t[k] * w[k];
        u[k] = u[k] * t[k + 1];
        v[k] = u[k + 1] + w[k];
    }
    for (int k = 0; k < n; k++) c += t[k] * t[k] * u[k] + v[k] * v[k];
    for (int k = 0; k < n; k++) {
        double sum = 0.0;
        for (int j = 0; j < 3; j++) sum += w[k + j] * v[k];
        if (w[k] > 1.0) sum *= 0.5;
        t[k] = sum;
        u[k] = 0.25 * sum;
    }
    for (int k = 0; k < n; k++) c += t[k] * u[k];
    for (int k = 0; k < n; k++) {
        t[k] = 0.5 * u[k] * w[k];
        u[k] = u[k] * t[k];
    }
    for (int k = 0; k < n; k++) c += sin(t[k] + u[k]);
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
