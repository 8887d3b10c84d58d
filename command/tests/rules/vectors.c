/* Vectors: everything that the derivatives need is overwritten behind. */
#include "rules.h"

double f(int n, double *x, double *y) {
    timer_start(3);
    double s = inner(n, x, 1, y, 1);
    add_scaled(n, s, x, 1, y, 1);
    report(1, s);
    exponentials(n, y, x);
    squares(n, y);
    double w[8];
    draw(n, w);
    for (int i = 0; i < n; i++) y[i] = y[i] * x[i] * w[i];
    for (int pass = 0; pass < 3; pass++) {
        s += 0.1 * inner(n / 2, x, 2, y + 1, 2) * timer_wall();
        add_scaled(n - 1, s, y + 1, 1, x, 1);
        squares(n / 2, x);
        report(2, x[0]);
    }
    draw(n, w);
    timer_stop(3);
    return inner(n, x, 1, y, 1) * s + w[1];
}
