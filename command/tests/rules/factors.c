/* The gradient beside differences, for all options of factors_of_lapack.c; 70 rows are more than a block of LAPACK's. */
#include "model_b.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

double f(const struct options *with, const double *x);

int main(void) {
    const double at[8] = {0.3, 0.5, 0.7, 0.9, 0.4, -0.6, 0.8, 0.35};
    const int sizes[] = {1, 2, 5, 6, 70};
    int wrong = 0;
    for (int option = 0; option < 16 * 5; option++) {
        const struct options with = {"UL"[option & 1], "NT"[option >> 1 & 1], "NV"[option >> 2 & 1], sizes[option / 16],
                                     option >> 3 & 1};
        double x_b[8] = {0.0};
        if (with.pairs && with.n % 2 == 1) continue;
        f_b(&with, at, x_b, 1.0);
        for (int k = 0; k < 8; k++) {
            double value[4], x[8];
            for (int side = 0; side < 4; side++) {
                memcpy(x, at, sizeof x);
                x[k] += (side - (side < 2 ? 2 : 1)) * 1e-5;
                value[side] = f(&with, x);
            }
            const double difference = (8 * (value[2] - value[1]) - value[3] + value[0]) / 12e-5;
            if (fabs(x_b[k] - difference) <= 1e-7 * (1.0 + fabs(difference) + fabs(value[0]))) continue;
            printf("n %d, %c%c%c%d, %d: %.12g, by differences %.12g\n", with.n, with.uplo, with.trans, with.jobz, with.pairs, k,
                   x_b[k], difference);
            wrong++;
        }
    }
    return wrong != 0;
}
