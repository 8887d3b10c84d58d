/* The gradient of the distance with respect to the rates and the start. */
#include "ode_b.h"
#include "../common.h"

enum { STEPS = 200 };

double distance(const struct rates *rates, int steps, double h, const double start[2], const double (*seen)[2]);

static double seen[STEPS / 10][2];

static double at(double birth, double gain, double prey) {
    const struct rates rates = {1.1 + birth, 0.4, 0.4, 0.1 + gain};
    const double start[2] = {10.0 + prey, 5.0};
    return distance(&rates, STEPS, 0.05, start, (const double(*)[2])seen);
}

int main(void) {
    const struct rates rates = {1.1, 0.4, 0.4, 0.1};
    struct rates rates_b = {0, 0, 0, 0};
    double start[2] = {10.0, 5.0}, start_b[2] = {0, 0};
    for (int t = 0; t < STEPS / 10; t++) {
        seen[t][0] = 4.0 + sin(t);
        seen[t][1] = 3.0 + cos(t);
    }
    distance_b(&rates, &rates_b, STEPS, 0.05, start, start_b, (const double(*)[2])seen, 1.0);
    compare("birth", rates_b.birth, (at(1e-5, 0, 0) - at(-1e-5, 0, 0)) / 2e-5);
    compare("gain", rates_b.gain, (at(0, 1e-6, 0) - at(0, -1e-6, 0)) / 2e-6);
    compare("start[0]", start_b[0], (at(0, 0, 1e-5) - at(0, 0, -1e-5)) / 2e-5);
    return finish(STEPS, "step");
}
