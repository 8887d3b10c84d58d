/* The gradient beside differences. */
#include "library.c"
#include "model_b.h"
#include <stdio.h>
#include <string.h>

double f(int n, double *x, double *y);

int main(void) {
    const double at[8] = {0.3, 0.5, 0.7, 0.9, 0.2, 0.1, 0.4, 0.6};
    double u[8], u_b[8] = {0.0};
    memcpy(u, at, sizeof u);
    f_b(4, u, u_b, u + 4, u_b + 4, 1.0);
    int wrong = 0;
    for (int k = 0; k < 8; k++) {
        double value[2];
        for (int side = 0; side < 2; side++) {
            memcpy(u, at, sizeof u);
            u[k] += side ? 1e-5 : -1e-5;
            value[side] = f(4, u, u + 4);
        }
        const double difference = (value[1] - value[0]) / 2e-5;
        wrong += !(fabs(u_b[k] - difference) <= 1e-7 * (1.0 + fabs(difference)));
        printf("%d: %.12g, by differences %.12g\n", k, u_b[k], difference);
    }
    return wrong;
}
