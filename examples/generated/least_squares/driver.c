/* The gradient of the cost with respect to the parameters. */
#include "least_squares_b.h"
#include "../common.h"

enum { COUNT = 100, PARAMETERS = 8 };

double cost(int n, const double *t, const double *y, const double *p, double limit);

static double t[COUNT], y[COUNT];

static double function(int64_t n, const double *p, void *user) {
    (void)n, (void)user;
    return cost(COUNT, t, y, p, 0.3);
}

static void gradient(int64_t n, const double *p, double *p_b, void *user) {
    (void)n, (void)user;
    cost_b(COUNT, t, y, p, p_b, 0.3, 1.0);
}

int main(void) {
    const double p[PARAMETERS] = {1.0, 2.0, 0.5, 3.0, 0.25, 5.0, 0.5, 7.0};
    for (int i = 0; i < COUNT; i++) {
        t[i] = 0.05 * i;
        y[i] = i % 9 == 4 ? NAN : exp(-t[i]) * sin(2.1 * t[i]) + (i % 13 == 5 ? 2.0 : 0.0);
    }
    return tested(function, gradient, PARAMETERS, p, COUNT, "observation");
}
