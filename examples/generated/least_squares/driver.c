/* The gradient of the cost with respect to the parameters. */
#include "least_squares_b.h"
#include "../common.h"

enum { COUNT = 100 };

double cost(int n, const double *t, const double *y, const double *p, double limit);

int main(void) {
    double t[COUNT], y[COUNT], p[8] = {1.0, 2.0, 0.5, 3.0, 0.25, 5.0, 0.5, 7.0}, p_b[8] = {0};
    for (int i = 0; i < COUNT; i++) {
        t[i] = 0.05 * i;
        y[i] = i % 9 == 4 ? NAN : exp(-t[i]) * sin(2.1 * t[i]) + (i % 13 == 5 ? 2.0 : 0.0);
    }
    cost_b(COUNT, t, y, p, p_b, 0.3, 1.0);
    for (int k = 0; k < 8; k += 3) {
        char what[8];
        const double value = p[k];
        p[k] = value + 1e-6;
        const double above = cost(COUNT, t, y, p, 0.3);
        p[k] = value - 1e-6;
        const double below = cost(COUNT, t, y, p, 0.3);
        p[k] = value;
        snprintf(what, sizeof what, "p[%d]", k);
        compare(what, p_b[k], (above - below) / 2e-6);
    }
    return finish(COUNT, "observation");
}
