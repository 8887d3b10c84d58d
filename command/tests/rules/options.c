/* The gradient beside differences, for all options of BLAS. */
#include "cblas.c"
#include "solvers.c"
#include "model_b.h"
#include <stdio.h>
#include <string.h>

double f(const struct options *with, double *x, double *y);

int main(void) {
    const double at[16] = {0.3, 0.5, 0.7, 0.9, 0.4, -0.6, 0.8, 0.35, 0.2, 0.1, 0.4, 0.6, -0.3, 0.25, 0.55, 0.45};
    int wrong = 0;
    for (int option = 0; option < 32; option++) {
        const struct options with = {"UL"[option & 1], "NT"[option >> 1 & 1], "NU"[option >> 2 & 1],
                                     "LR"[option >> 3 & 1], option >> 4 ? -1 : 1};
        double u[16], u_b[16] = {0.0};
        memcpy(u, at, sizeof u);
        f_b(&with, u, u_b, u + 8, u_b + 8, 1.0);
        for (int k = 0; k < 16; k++) {
            double value[2];
            for (int side = 0; side < 2; side++) {
                memcpy(u, at, sizeof u);
                u[k] += side ? 1e-5 : -1e-5;
                value[side] = f(&with, u, u + 8);
            }
            const double difference = (value[1] - value[0]) / 2e-5;
            if (fabs(u_b[k] - difference) <= 1e-6 * (1.0 + fabs(difference))) continue;
            printf("%d, %d: %.12g, by differences %.12g\n", option, k, u_b[k], difference);
            wrong++;
        }
    }
    return wrong != 0;
}
