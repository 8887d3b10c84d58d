/* A function that calls itself overwrites what it has read, and its caller reads what it left. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static double walk(int n, double *a) {
    double s = a[0] * a[0];
    a[0] = 0.5 * s;
    if (n > 1) {
        const double rest = walk(n - 1, a + 1);
        s += 0.1 * rest * a[1];
    }
    return s * a[0];
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    const double s = walk(n, t);
    return s + t[0] * t[1];
}

void tables(int *ia) {
    ia[0] = 0;
}
