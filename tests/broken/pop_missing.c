/* pop_missing.c: the reverse sweep of a branch that is taken once forgets the value that was pushed there. */
#include <adtape.h>

#include <math.h>

enum { STEPS = 20, RARE = 12 };

static double forward(double v, adtape_t *t) {
    double drag = 0.1;
    for (int step = 0; step < STEPS; step++) {
        adtape_push_f64(t, v);
        v = 0.9 * v + 0.1 * sin(v);
        if (step != RARE) {
            adtape_push_f64(t, drag);
            drag = 0.01 * v * v;
        } else {
            adtape_push_f64(t, drag); /* forgotten */
            drag = 0.02 * v * v;
        }
        v -= drag;
    }
    return v;
}

static double reverse(double v_adjoint, adtape_t *t) {
    double v = 0.0, drag = 0.0;
    for (int step = STEPS - 1; step >= 0; step--) {
        if (step != RARE) {
            adtape_pop_f64(t, &drag);
        }
        v_adjoint *= 1.0 - drag;
        adtape_pop_f64(t, &v);
        v_adjoint *= 0.9 + 0.1 * cos(v);
    }
    return v_adjoint;
}

int main(void) {
    const double y = forward(1.0, adtape_self());
    return reverse(1.0, adtape_self()) > y ? 0 : 1;
}
