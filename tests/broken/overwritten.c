/* overwritten.c: a routine keeps the address of a value on the tape and writes to it later. */
#include <adtape.h>

enum { STEPS = 10 };

static double *kept;

static double forward(double x, adtape_t *t) {
    for (int step = 0; step < STEPS; step++) {
        adtape_push_f64(t, x);
        if (step == 4) {
            kept = (double *)t->cur - 1;
        }
        x *= 0.9 * x;
    }
    *kept = 0.0;
    return x;
}

static double reverse(double adjoint, adtape_t *t) {
    double x;
    for (int step = STEPS - 1; step >= 0; step--) {
        adtape_pop_f64(t, &x);
        adjoint *= 1.8 * x;
    }
    return adjoint;
}

int main(void) {
    const double y = forward(1.0, adtape_self());
    return reverse(1.0, adtape_self()) > y ? 0 : 1;
}
