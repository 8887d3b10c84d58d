/* TBR analysis, section 6: Bratu; the neighbours of f are not stored. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia;
    double c = 0.0, h = 0.1;
    for (int i = 1; i < 9; i++) {
        w[i] = x[i + 1] - 2.0 * x[i] + x[i - 1] + h * h * exp(x[i]);
    }
    for (int i = 1; i < 9; i++) {
        c += w[i];
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
