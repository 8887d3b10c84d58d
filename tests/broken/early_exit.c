/* early_exit.c: an iteration that has converged leaves its loop behind a push, and its reverse sweep knows nothing of it. */
#include <adtape.h>

#include <math.h>

static double forward(double x, int *iterations, adtape_t *t) {
    double residual = 1.0;
    for (*iterations = 0;; ++*iterations) {
        adtape_push_f64(t, residual);
        residual = x * x - 2.0;
        if (fabs(residual) < 1e-12) {
            return x;
        }
        adtape_push_f64(t, x);
        x -= residual / (2.0 * x);
    }
}

static double reverse(double adjoint, int iterations, adtape_t *t) {
    for (int i = 0; i < iterations; i++) {
        double x, residual;
        adtape_pop_f64(t, &x);
        adtape_pop_f64(t, &residual);
        adjoint *= 0.5 + residual / (2.0 * x * x);
    }
    return adjoint;
}

int main(void) {
    int iterations;
    const double y = forward(1.0, &iterations, adtape_self());
    return reverse(1.0, iterations, adtape_self()) < y ? 0 : 1;
}
