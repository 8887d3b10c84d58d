/* Both loops run again: a pass of the outer one runs the inner one plainly, and then again pass by pass. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = 0.0, row[6];
    for (int i = 0; i < n; i++) {
        double u = w[i];
        for (int k = 0; k < 6; k++) {
            double p = tanh(u + x[k]);
            row[k] = p * p * x[i];
            u = 0.3 * u + row[k] * p;
        }
        for (int k = 0; k < 6; k++) s += row[k] * row[5 - k];
    }
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
