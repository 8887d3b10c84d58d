/* The gradient of the misfit with respect to the field at the beginning and to the rate. */
#include "stencil_b.h"
#include "../common.h"

enum { N = 12, M = 10, STEPS = 20, INPUTS = N * M + 1 };

double misfit(int n, int m, int steps, double rate, double u[n][m], double v[n][m], const double data[n][m]);

static double data[N][M];

/* Inputs are the field, then the rate. What v holds at the beginning is of no consequence. */
static double function(int64_t n, const double *inputs, void *user) {
    double u[N][M], v[N][M];
    (void)n, (void)user;
    memcpy(u, inputs, sizeof u);
    memcpy(v, inputs, sizeof v);
    return misfit(N, M, STEPS, inputs[N * M], u, v, (const double(*)[M])data);
}

static void gradient(int64_t n, const double *inputs, double *inputs_b, void *user) {
    double u[N][M], v[N][M], u_b[N][M] = {{0}}, v_b[N][M] = {{0}};
    (void)n, (void)user;
    memcpy(u, inputs, sizeof u);
    memcpy(v, inputs, sizeof v);
    misfit_b(N, M, STEPS, inputs[N * M], &inputs_b[N * M], u, u_b, v, v_b, (const double(*)[M])data, 1.0);
    memcpy(inputs_b, u_b, sizeof u_b);
}

int main(void) {
    double inputs[INPUTS];
    for (int a = 0; a < N; a++) {
        for (int b = 0; b < M; b++) {
            inputs[a * M + b] = 0.1 * (1 + (3 * a + 7 * b) % 8);
            data[a][b] = 0.5 + 0.01 * a;
        }
    }
    inputs[N * M] = 0.3;
    return tested(function, gradient, INPUTS, inputs, (double)(N - 2) * (M - 2) * STEPS, "cell and step");
}
