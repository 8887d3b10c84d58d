/* The gradient of the misfit with respect to the field at the beginning and to the rate. */
#include "stencil_b.h"
#include "../common.h"

enum { N = 12, M = 10, STEPS = 20 };

double misfit(int n, int m, int steps, double rate, double u[n][m], double v[n][m], const double data[n][m]);

static double data[N][M];

static double at(int i, int j, double du, double drate) {
    double u[N][M], v[N][M];
    for (int a = 0; a < N; a++) {
        for (int b = 0; b < M; b++) u[a][b] = v[a][b] = 0.1 * (1 + (3 * a + 7 * b) % 8);
    }
    u[i][j] += du;
    return misfit(N, M, STEPS, 0.3 + drate, u, v, (const double(*)[M])data);
}

int main(void) {
    double u[N][M], v[N][M], u_b[N][M] = {{0}}, v_b[N][M] = {{0}}, rate_b = 0;
    for (int a = 0; a < N; a++) {
        for (int b = 0; b < M; b++) {
            u[a][b] = v[a][b] = 0.1 * (1 + (3 * a + 7 * b) % 8);
            data[a][b] = 0.5 + 0.01 * a;
        }
    }
    misfit_b(N, M, STEPS, 0.3, &rate_b, u, u_b, v, v_b, (const double(*)[M])data, 1.0);
    compare("rate", rate_b, (at(0, 0, 0, 1e-5) - at(0, 0, 0, -1e-5)) / 2e-5);
    compare("u[0][0]", u_b[0][0], (at(0, 0, 1e-5, 0) - at(0, 0, -1e-5, 0)) / 2e-5);
    compare("u[5][4]", u_b[5][4], (at(5, 4, 1e-5, 0) - at(5, 4, -1e-5, 0)) / 2e-5);
    compare("u[10][8]", u_b[10][8], (at(10, 8, 1e-5, 0) - at(10, 8, -1e-5, 0)) / 2e-5);
    return finish((double)(N - 2) * (M - 2) * STEPS, "cell and step");
}
