/* The inner parts of planes and boxes that are arguments, in the loop and in a function that it calls; planes without any. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static void advance(int n, int m, double u[n][m], double v[n][m]) {
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) {
            v[i][j] = u[i][j] + 0.1 * sin(u[i][j]) * (u[i - 1][j] + u[i + 1][j] - u[i][j - 1] * u[i][j + 1]);
        }
    }
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) u[i][j] = v[i][j];
    }
}

static void diffuse(int n, int m, double u[n][m], double v[n][m], int steps) {
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < steps; t++) advance(n, m, u, v);
}

static void cool(double u[4][3][5], int steps) {
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < 3; i++) {
            for (int k = 1; k < 4; k++) u[i][1][k] *= 0.9 + 0.1 * sin(u[i - 1][1][k] + u[i][2][k - 1]);
        }
    }
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = 0.0;
    diffuse(5, 6, (double(*)[6])x, (double(*)[6])w, n / 5);
    diffuse(2, 3, (double(*)[3])x, (double(*)[3])w, n / 5);
    cool((double(*)[3][5])(x + 100), n / 4);
    for (int i = 0; i < 160; i++) s += x[i] * x[i];
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
