/* Loops whose passes commute, and others that seem to: sums beside neighbours, a table, a recurrence, a condition. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

/* Both arguments may be one array. */
static void shift(int n, const double *a, double *b) {
    for (int k = 1; k < n; k++) b[k] += 0.4 * a[k - 1];
}

/* Two passes add to one element by two names, beside a sum. */
static double weighed(int n, const double *a, const double *b, double q) {
    double s = 0.0;
    for (int k = 0; k < n - 1; k++) s += a[k] * q + b[k + 1] * 0.5 * q;
    return s;
}

/* Passes come back to an element: the last one gives what is there. */
static void wrapped(int n, const double *a, double *b) {
    for (int k = 0; k < 10 * n; k++) b[(unsigned char)k] = 0.5 * a[k % 100];
}

double f(int n, double *x, int *ia, double *w) {
    double c = 0.0, d = 0.0, t[100], u[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    u[0] = x[3];
    for (int k = 1; k < n; k++) u[k] = t[k - 1] * (0.3 + w[k]) + t[k] * (0.3 + w[0]) + x[1] * (0.3 + w[k]);
    for (int k = 0; k < n; k++) c += u[k] * (0.3 + w[k]) + x[0] * (0.3 + w[k]) + x[k] * (0.3 + w[0]);
    for (int k = 1; k < n; k++) t[k] = 0.5 * t[k] - 0.7 * t[k - 1];
    shift(n, t, t);
    for (int k = 0; k < n; k++) c += t[ia[k]] * (0.3 + w[k]) + x[2] * (0.3 + w[k]);
    for (int k = n - 1; k > 0; k--) d += t[k] * (0.3 + w[k - 1]) + t[k - 1] * (0.3 + w[k]);
    for (int k = 0; k < n; k++) {
        if (x[k] > 0.8) c += x[k] * (0.3 + w[1]) + x[4] * (0.3 + w[k]);
    }
    for (int k = n; k < 3; k++) c += x[5] * x[k + 1000];
    double g[256] = {0};
    wrapped(n, x, g);
    for (int k = 0; k < 256; k++) d += g[k] * (0.3 + 0.01 * k);
    return c + d + weighed(n, t, t, x[6]);
}

void tables(int *ia) {
    for (int k = 0; k < 40; k++) ia[k] = 7 * k % 40;
}
