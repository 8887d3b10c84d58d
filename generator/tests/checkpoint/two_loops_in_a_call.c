/* Two loops in a function that is called in the passes of another one, with a state in memory of the caller. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static void advance(int m, double *u, const double *rates) {
    double last = 1.0;
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < m; t++) {
        for (int i = 0; i < 4; i++) u[i] = u[i] + 0.1 * rates[t] * sin(u[(i + 1) % 4]) * last;
        last = u[0];
    }
#pragma adjoint checkpoint snapshots=1
    for (int t = m; t-- > 0;) {
        for (int i = 0; i < 4; i++) u[i] = u[i] * cos(0.1 * rates[t]) + 0.01 * last;
    }
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double u[4] = {x[0], x[1], x[2], x[3]};
    for (int k = 0; k < 4; k++) {
        advance(n / 8 + k, u, x + 4 * k);
        u[k] = u[k] * u[k];
    }
    return u[0] * u[1] + u[2] * u[3];
}

void tables(int *ia) {
    ia[0] = 0;
}
