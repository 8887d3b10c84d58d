/* The gradient, or the tangent, of transforms_of_fftw.c beside differences, for even and odd sizes. */
#include <math.h>
#include <stdio.h>
#ifdef TANGENT
#include "model_d.h"
#else
#include "model_b.h"
#endif
#ifdef SINGLE
#define STEP 1e-2f
#define NEAR 2e-2f
#else
#define STEP 1e-5
#define NEAR 1e-7
#endif

double f(int n, const double *u, const double *k);

int main(void) {
    int wrong = 0;
    for (int n = 1; n < 9; n++) {
        double u[16], u_b[16] = {0.0};
        for (int i = 0; i < 16; i++) u[i] = 0.3 + 0.1 * ((i * 7) % 5);
#ifdef TANGENT
        for (int i = 0; i < 16; i++) {
            double u_d[16] = {0.0};
            u_d[i] = 1.0;
            f_d(n, u, u_d, u + 8, u_d + 8, &u_b[i]);
        }
#else
        f_b(n, u, u_b, u + 8, u_b + 8, 1.0);
#endif
        for (int i = 0; i < 16; i++) {
            const double was = u[i];
            double value[2];
            for (int side = 0; side < 2; side++) {
                u[i] = was + (side ? STEP : -STEP);
                value[side] = f(n, u, u + 8);
            }
            u[i] = was;
            const double difference = (value[1] - value[0]) / (2 * STEP);
            if (fabs(difference - u_b[i]) <= NEAR * (1.0 + fabs(difference))) continue;
            printf("n %d, %d: %.12g, by differences %.12g\n", n, i, u_b[i], difference);
            wrong++;
        }
    }
    return wrong != 0;
}
