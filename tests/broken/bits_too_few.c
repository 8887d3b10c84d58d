/* bits_too_few.c: a fifth phase was added to a model whose adjoint keeps the phase in two bits. */
#include <adtape.h>

enum { PHASES = 5 };

static const double gain[PHASES] = {1.0, 1.2, 0.7, 1.1, 0.9};

static double forward(double x, int steps, adtape_t *t) {
    for (int step = 0; step < steps; step++) {
        const uint64_t phase = (uint64_t)step % PHASES;
        adtape_push_control(t, phase, 2);
        x *= gain[phase];
    }
    return x;
}

static double reverse(double adjoint, int steps, adtape_t *t) {
    for (int step = 0; step < steps; step++) {
        adjoint *= gain[adtape_pop_control(t, 2)];
    }
    return adjoint;
}

int main(void) {
    const double y = forward(1.0, 12, adtape_self());
    return reverse(1.0, 12, adtape_self()) > y ? 0 : 1;
}
