/* A pass reads an element that the pass three behind it overwrites: the element is required, though the loop writes. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = 0.0;
    for (int i = 0; i + 3 < n; i++) {
        double t[3];
        t[0] = sin(w[i + 3] * x[i]);
        t[1] = t[0] * t[0] + w[i + 3];
        t[2] = exp(-t[1] * t[1]) * t[0];
        s += t[2] * t[1];
        w[i] = 0.5 * x[i];
    }
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
