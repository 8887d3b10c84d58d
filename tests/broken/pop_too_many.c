/* pop_too_many.c: the reverse sweep of a rare branch pops a value that nobody pushed there. */
#include <adtape.h>

#include <math.h>

enum { STEPS = 20, RARE = 12 };

static double forward(double v, adtape_t *t) {
    double drag = 0.0;
    for (int step = 0; step < STEPS; step++) {
        adtape_push_f64(t, v);
        v = 0.9 * v + 0.1 * sin(v);
        adtape_push_f64(t, drag);
        drag = 0.01 * v * fabs(v);
        if (step == RARE) {
            v -= drag;
        }
        v -= 0.5 * drag;
    }
    return v;
}

static double reverse(double v_adjoint, adtape_t *t) {
    double v, drag, drag_adjoint = 0.0;
    for (int step = STEPS - 1; step >= 0; step--) {
        drag_adjoint -= 0.5 * v_adjoint;
        if (step == RARE) {
            adtape_pop_f64(t, &drag); /* guilty */
            drag_adjoint -= v_adjoint;
        }
        adtape_pop_f64(t, &drag); /* of the step */
        v = drag;
        v_adjoint += 0.02 * fabs(v) * drag_adjoint;
        drag_adjoint = 0.0;
        adtape_pop_f64(t, &v);
        v_adjoint *= 0.9 + 0.1 * cos(v);
    }
    return v_adjoint;
}

int main(void) {
    const double y = forward(1.0, adtape_self());
    return reverse(1.0, adtape_self()) > y ? 0 : 1;
}
