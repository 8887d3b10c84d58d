/* width_differs.c: a branch of three ways was pushed with two bits and is popped as one of two ways. */
#include <adtape.h>

static double limit(double x, adtape_t *t) {
    if (x > 1.0) {
        adtape_push_control(t, 2, 2);
        return 1.0;
    }
    if (x < 0.0) {
        adtape_push_control(t, 1, 2);
        return 0.0;
    }
    adtape_push_control(t, 0, 2);
    return x;
}

static double limit_adjoint(double y_adjoint, adtape_t *t) {
    if (adtape_pop_control(t, 1) == 1) {
        return 0.0;
    }
    return y_adjoint;
}

int main(void) {
    double x = 0.25, adjoint = 1.0;
    for (int i = 0; i < 6; i++) {
        x = limit(1.5 * x, adtape_self());
    }
    for (int i = 0; i < 6; i++) {
        adjoint = 1.5 * limit_adjoint(adjoint, adtape_self());
    }
    return adjoint > x ? 0 : 1;
}
