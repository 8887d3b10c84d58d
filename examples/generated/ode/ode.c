#include <math.h>

/* Two species and how they live on each other. */
struct rates {
    double birth, hunt, death, gain;
};

double distance(const struct rates *rates, int steps, double h, const double start[2], const double (*seen)[2]);

static void slope(const struct rates *r, const double y[2], double dy[2]) {
    dy[0] = r->birth * y[0] - r->hunt * y[0] * y[1];
    dy[1] = r->gain * y[0] * y[1] - r->death * y[1];
}

/* The classical Runge-Kutta method; the squared distance to what was seen, every tenth step, until a species is gone. */
double distance(const struct rates *rates, int steps, double h, const double start[2], const double (*seen)[2]) {
    double y[2] = {start[0], start[1]}, k[4][2], z[2], sum = 0.0;
    for (int step = 0; step < steps; step++) {
        for (int stage = 0; stage < 4; stage++) {
            const double ahead = stage == 0 ? 0.0 : (stage == 3 ? h : 0.5 * h);
            for (int c = 0; c < 2; c++) {
                z[c] = stage == 0 ? y[c] : y[c] + ahead * k[stage - 1][c];
            }
            slope(rates, z, k[stage]);
        }
        for (int c = 0; c < 2; c++) {
            y[c] += h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
        }
        if (y[0] < 1e-9 || y[1] < 1e-9) {
            break;
        }
        if (step % 10 == 9) {
            const double *at = seen[step / 10];
            sum += (y[0] - at[0]) * (y[0] - at[0]) + (y[1] - at[1]) * (y[1] - at[1]);
        }
    }
    return sum;
}
