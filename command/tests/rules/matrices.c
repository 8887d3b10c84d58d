/* A product and a solution in each pass; the factors are what the reverse sweep reads. */
#include "rules.h"

double f(int n, double *x, double *y) {
    double a[16], c[16], alpha = y[0], sum = 0.0;
    int pivots[4], info, one = 1, four = 4;
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) a[i + 4 * j] = x[i] * y[j] + (i == j ? 3.0 + x[j] : 0.1 * (i - j));
        }
        for (int i = 0; i < 16; i++) c[i] = 0.3 * x[i % 4];
        product(4, 4, 4, alpha, a, 4, a, 4, y[1], c, 4);
        solve_(&four, &one, a, &four, pivots, y, &four, &info);
        if (info != 0) return 0.0;
        for (int i = 0; i < 4; i++) {
            sum += y[i] * y[i] * c[5 * i];
            x[i] *= 1.0 + 0.1 * y[i];
            y[i] = 1.0 + y[i] * x[i];
        }
    }
    return sum * n;
}
