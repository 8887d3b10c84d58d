/* TBR analysis, section 6: Bratu; what f held before is not stored. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static double thermal(const double *parameters, double x) {
    const double grown = exp(x / (1.0 + parameters[1] * x));
    return parameters[0] * grown;
}

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia;
    double c = 0.0, h = 0.1, t[10];
    for (int i = 1; i < 9; i++) {
        t[i - 1] = thermal(x + 20, x[i - 1]);
        t[i] = thermal(x + 20, x[i]);
        t[i + 1] = thermal(x + 20, x[i + 1]);
        w[i] = x[i + 1] - 2.0 * x[i] + x[i - 1] + h * h * (t[i - 1] + 10.0 * t[i] + t[i + 1]) / 12.0;
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
