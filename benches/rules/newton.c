/* The Brusselator with diffusion in 12 cells: implicit Euler, each step by Newton's method. */
#define CELLS 12
#define SIZE (2 * CELLS)
#define STEP 0.05

static void rate(const double *y, const double *p, double *f) {
    for (int i = 0; i < CELLS; i++) {
        const int left = i > 0 ? i - 1 : i, right = i < CELLS - 1 ? i + 1 : i;
        const double u = y[2 * i], w = y[2 * i + 1];
        f[2 * i] = p[0] + u * u * w - (p[1] + 1.0) * u + p[2] * (y[2 * left] - 2.0 * u + y[2 * right]);
        f[2 * i + 1] = p[1] * u - u * u * w + p[3] * (y[2 * left + 1] - 2.0 * w + y[2 * right + 1]);
    }
}

static void residual(const double *y, const double *old, const double *p, double *r) {
    double f[SIZE];
    rate(y, p, f);
    for (int i = 0; i < SIZE; i++) r[i] = y[i] - old[i] - STEP * f[i];
}

static void matrix(const double *y, const double *p, double j[SIZE][SIZE]) {
    for (int a = 0; a < SIZE; a++) {
        for (int b = 0; b < SIZE; b++) j[a][b] = a == b ? 1.0 : 0.0;
    }
    for (int i = 0; i < CELLS; i++) {
        const int left = i > 0 ? i - 1 : i, right = i < CELLS - 1 ? i + 1 : i;
        const double u = y[2 * i], w = y[2 * i + 1];
        j[2 * i][2 * i] -= STEP * (2.0 * u * w - (p[1] + 1.0) - 2.0 * p[2]);
        j[2 * i][2 * i + 1] -= STEP * u * u;
        j[2 * i][2 * left] -= STEP * p[2];
        j[2 * i][2 * right] -= STEP * p[2];
        j[2 * i + 1][2 * i] -= STEP * (p[1] - 2.0 * u * w);
        j[2 * i + 1][2 * i + 1] += STEP * (u * u + 2.0 * p[3]);
        j[2 * i + 1][2 * left + 1] -= STEP * p[3];
        j[2 * i + 1][2 * right + 1] -= STEP * p[3];
    }
}

static void solve(double a[SIZE][SIZE], double *b) {
    for (int k = 0; k < SIZE; k++) {
        for (int i = k + 1; i < SIZE; i++) {
            const double factor = a[i][k] / a[k][k];
            for (int j = k + 1; j < SIZE; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = SIZE - 1; i >= 0; i--) {
        for (int j = i + 1; j < SIZE; j++) b[i] -= a[i][j] * b[j];
        b[i] = b[i] / a[i][i];
    }
}

#ifndef LINE_BY_LINE
#pragma adjoint implicit residual(y, old, p, r) for y reads(old[0:SIZE] p[0:4]) writes(y[0:SIZE])
#endif
static void advance(double *y, const double *old, const double *p) {
    double r[SIZE], j[SIZE][SIZE];
    for (int i = 0; i < SIZE; i++) y[i] = old[i];
    for (int k = 0; k < 20; k++) {
        double norm = 0.0;
        residual(y, old, p, r);
        matrix(y, p, j);
        solve(j, r);
        for (int i = 0; i < SIZE; i++) {
            y[i] -= r[i];
            norm += r[i] * r[i];
        }
        if (norm < 1e-20) break;
    }
}

double newton(int steps, const double *y0, const double *p) {
    double y[SIZE], old[SIZE], sum = 0.0;
    for (int i = 0; i < SIZE; i++) y[i] = y0[i];
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < SIZE; i++) old[i] = y[i];
        advance(y, old, p);
    }
    for (int i = 0; i < SIZE; i++) sum += y[i] * y[i] * (1.0 + 0.1 * i);
    return sum;
}
