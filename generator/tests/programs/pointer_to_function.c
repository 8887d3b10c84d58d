/* A function pointer at file scope that nobody changes: the sweeps call what its initialiser names, and verify that. */
#include <math.h>
#include <stddef.h>

typedef double (*model)(double t, double *slope);

static double growth(double t, double *slope) {
    *slope = 2.0 * t;
    return t * t + sin(t);
}

static model current = growth;
model other = &growth;

double f_called(int n, double *x, int *ia, double *w) {
    double sum = 0.0, slope;
    (void)ia;
    for (int i = 0; i < n; i++) {
        double y = current(x[i] * w[i], &slope);
        sum += y * slope;
        sum += (*other)(y, &slope);
        sum *= slope;
    }
    return sum;
}

/* A member that the sources leave NULL. */
struct solver {
    double (*slope)(double y);
    void (*report)(int step, double y);
    double (*limit)(double y);
};

static double leading_to(double y) {
    return cos(y) - 0.2 * y;
}

static double solved(const struct solver *by, double y, int n) {
    for (int i = 0; i < n; i++) {
        y += 0.1 * by->slope(y);
        if (by->report) by->report(i, y);
        if (by->limit != NULL) y = by->limit(y);
    }
    return y;
}

double f_left_null(int n, double *x, int *ia, double *w) {
    struct solver by = {leading_to, NULL};
    (void)ia, (void)w;
    return solved(&by, x[0], n) * x[1];
}
