#include <math.h>

double misfit(int n, int m, int steps, double rate, double u[n][m], double v[n][m], const double data[n][m]);

/* One step of a reaction and diffusion equation on a grid; the border stays. */
static void step(int n, int m, double rate, double u[n][m], double v[n][m]) {
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) {
            double flow = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j];
            v[i][j] = u[i][j] + 0.2 * flow + rate * u[i][j] * (1.0 - u[i][j]);
        }
    }
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) {
            u[i][j] = v[i][j];
        }
    }
}

/* How far the field is from the data after some steps. */
double misfit(int n, int m, int steps, double rate, double u[n][m], double v[n][m], const double data[n][m]) {
    double sum = 0.0;
    for (int t = 0; t < steps; t++) {
        step(n, m, rate, u, v);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            double r = u[i][j] - data[i][j];
            sum += r * r;
        }
    }
    return sqrt(sum);
}
