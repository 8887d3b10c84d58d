/* One name of the reverse sweep stands for two values of `u` that are equal where passes run again, and for another one
   behind. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double u = sin(x[0]);
    if (x[1] > 0.0) {
        for (int i = 2; i < 8; i++) x[i] = 0.5 * x[i] * x[i] + u * x[i];
    } else {
        if (n < 0) u = tanh(x[2]);
    }
    for (int i = 0; i < n; i++) x[i] += 0.3 * tanh(u * x[i]);
    return x[0] + x[3] * x[4];
}

void tables(int *ia) {
    ia[0] = 0;
}
