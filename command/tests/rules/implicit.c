/* A step of implicit Euler by Newton's method, and a fixed point in many unknowns: what holds behind each says a residual. */
#include <math.h>
#define S 4
#define MANY 230

static void rate(const double *y, const double *p, double *f) {
    for (int i = 0; i < S; i++) f[i] = -p[0] * y[i] * y[i] + p[1] * sin(y[(i + 1) % S]) + p[2];
}

static void residual(const double *y, const double *old, const double *p, double dt, double *r) {
    double f[S];
    rate(y, p, f);
    for (int i = 0; i < S; i++) r[i] = y[i] - old[i] - dt * f[i];
}

#pragma adjoint implicit residual(y, old, p, dt, r) for y reads(old[0:S] p[0:3]) updates(y[0:S])
static void advance(double *y, const double *old, const double *p, double dt) {
    for (int k = 0; k < 60; k++) {
        double r[S], largest = 0.0;
        residual(y, old, p, dt, r);
        for (int i = 0; i < S; i++) {
            y[i] -= r[i] / (1.0 + 2.0 * dt * p[0] * y[i]);
            largest = fmax(largest, fabs(r[i]));
        }
        if (largest < 1e-15) break;
    }
}

static void balance(int n, const double *u, const double *source, double *r) {
    for (int i = 0; i < n; i++) {
        const double left = i > 0 ? u[i - 1] : 0.0, right = i + 1 < n ? u[i + 1] : 0.0;
        r[i] = u[i] - 0.2 * (left + right) + 0.1 * u[i] * u[i] * u[i] - source[i];
    }
}

#pragma adjoint implicit balance(n, u, source, r) for u reads(source[0:n]) writes(u[0:n])
void settle(int n, const double *source, double *u) {
    for (int i = 0; i < n; i++) u[i] = source[i];
    for (int k = 0; k < 200; k++) {
        double r[MANY];
        balance(n, u, source, r);
        for (int i = 0; i < n; i++) u[i] -= 0.8 * r[i];
    }
}

double f(int n, double *x, double *y) {
    double old[S], p[3] = {0.5 + x[0], y[0], 0.1 * y[1]}, source[MANY], u[MANY], sum = 0.0;
    for (int i = 0; i < S; i++) y[i] = x[i];
    for (int t = 0; t < 5; t++) {
        for (int i = 0; i < S; i++) old[i] = y[i];
        advance(y, old, p, 0.1 + 0.02 * x[1]);
    }
    for (int i = 0; i < S; i++) sum += y[i] * y[i];
    for (int k = 0; k < 2; k++) {
        const int many = k == 0 ? 7 : MANY;
        for (int i = 0; i < many; i++) source[i] = x[i % n] * (1.0 + 0.002 * i) + y[i % S];
        settle(many, source, u);
        for (int i = 0; i < many; i++) sum += u[i] * u[i] * source[i] / many;
    }
    return sum;
}
