#include <math.h>

enum { CELLS = 40 };

double misfit(int steps, double h, const double start[CELLS], double forcing, const double (*seen)[CELLS]);

/* The change of a value around a circle of latitude: advection by its neighbours, damping, forcing (Lorenz 1996). */
static void change(const double x[CELLS], double forcing, double dx[CELLS]) {
    for (int i = 0; i < CELLS; i++) {
        const double ahead = x[(i + 1) % CELLS], behind = x[(i + CELLS - 1) % CELLS], far = x[(i + CELLS - 2) % CELLS];
        dx[i] = (ahead - far) * behind - x[i] + forcing;
    }
}

/* The mean squared distance of a forecast, by the midpoint method, to what was seen every tenth step. */
double misfit(int steps, double h, const double start[CELLS], double forcing, const double (*seen)[CELLS]) {
    double x[CELLS], half[CELLS], dx[CELLS], sum = 0.0;
    for (int i = 0; i < CELLS; i++) {
        x[i] = start[i];
    }
#pragma adjoint checkpoint snapshots=10
    for (int step = 0; step < steps; step++) {
        change(x, forcing, dx);
        for (int i = 0; i < CELLS; i++) {
            half[i] = x[i] + 0.5 * h * dx[i];
        }
        change(half, forcing, dx);
        for (int i = 0; i < CELLS; i++) {
            x[i] += h * dx[i];
        }
        if (step % 10 == 9) {
            for (int i = 0; i < CELLS; i++) {
                const double r = x[i] - seen[step / 10][i];
                sum += r * r;
            }
        }
    }
    return sum / steps;
}
