/* Adjoint and tangent of each function of model.c beside differences, where the function is defined. */
#include "model_b.h"
#include "model_d.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>

double f(int which, double x, double y);

int main(void) {
    const double points[] = {0.35, 0.62, -0.3, 1.7, 6.5, 0.05, 25.0};
    const double h = 1e-3, weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    int wrong = 0, compared = 0;
    gsl_set_error_handler_off();
    for (int which = 0; which < 161; which++) {
        for (int at = 0; at < 7; at++) {
            const double x = points[at], y = 0.4, step = h * fmin(1.0, fabs(x));
            double x_b = 0.0, y_b = 0.0, f_by_x = 0.0, f_by_y = 0.0, by_x = 0.0, by_y = 0.0;
            for (int k = 1; k <= 4; k++) {
                by_x += weights[k - 1] * (f(which, x + k * step, y) - f(which, x - k * step, y)) / step;
                by_y += weights[k - 1] * (f(which, x, y + k * h) - f(which, x, y - k * h)) / h;
            }
            /* Outside of what it is defined for, or beyond its numbers. */
            if (!(fabs(by_x) < 1e30) || !(fabs(by_y) < 1e30)) continue;
            f_b(which, x, &x_b, y, &y_b, 1.0);
            const double value = f_d(which, x, 1.0, y, 0.0, &f_by_x);
            f_d(which, x, 0.0, y, 1.0, &f_by_y);
            const double size = 1.0 + fabs(value) * (1.0 + 1e-3 / step), near = 1e-9;
            compared++;
            if (fabs(x_b - by_x) <= near * (size + fabs(by_x)) && fabs(y_b - by_y) <= near * (size + fabs(by_y)) &&
                fabs(x_b - f_by_x) + fabs(y_b - f_by_y) <= 1e-14 * (size + fabs(x_b)) &&
                value == f(which, x, y)) {
                continue;
            }
            printf("%d at %g: %.15g %.15g, tangent %.15g %.15g, differences %.15g %.15g\n", which, x, x_b, y_b,
                   f_by_x, f_by_y, by_x, by_y);
            wrong++;
        }
    }
    return wrong != 0 || compared < 4 * 161;
}
