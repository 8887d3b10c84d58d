#include <math.h>

#define SQUARE(x) ((x) * (x))

enum { ORDER = 4 };

double cost(int n, const double *t, const double *y, const double *p, double limit);

static const double weight[ORDER] = {1.0, 0.5, 0.25, 0.125};

/* A sum of damped waves, a robust loss for outliers, and a term that keeps the parameters small. */
double cost(int n, const double *t, const double *y, const double *p, double limit) {
    double sum = 0.0;
    for (int k = 0; k < 2 * ORDER; k++) {
        sum += 0.01 * weight[k / 2] * SQUARE(p[k]);
    }
    for (int i = 0; i < n; i++) {
        double model = 0.0;
        if (isnan(y[i])) {
            continue;
        }
        for (int k = 0; k < ORDER; k++) {
            model += p[2 * k] * exp(-weight[k] * t[i]) * sin(p[2 * k + 1] * t[i]);
        }
        double r = fabs(model - y[i]);
        sum += r < limit ? 0.5 * SQUARE(r) : limit * (r - 0.5 * limit);
    }
    return sum;
}
