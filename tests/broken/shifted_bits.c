/* shifted_bits.c: a model that skips a test pushes one control bit less, and its reverse sweep knows nothing of it. */
#include <adtape.h>

enum { STEPS = 30, SKIPPED = 12 };

static double forward(double x, adtape_t *t) {
    for (int step = 0; step < STEPS; step++) {
        const int wet = step % 7 == 3, warm = x > 1.0;
        adtape_push_control(t, (uint64_t)wet, 1);
        if (step != SKIPPED) {
            adtape_push_control(t, (uint64_t)warm, 1);
        }
        x *= (wet ? 1.1 : 1.0) * (warm ? 0.9 : 1.05);
    }
    return x;
}

static double reverse(double adjoint, adtape_t *t) {
    for (int step = STEPS - 1; step >= 0; step--) {
        const int warm = (int)adtape_pop_control(t, 1);
        const int wet = (int)adtape_pop_control(t, 1);
        adjoint *= (wet ? 1.1 : 1.0) * (warm ? 0.9 : 1.05);
    }
    return adjoint;
}

int main(void) {
    const double y = forward(0.5, adtape_self());
    return reverse(1.0, adtape_self()) > y ? 0 : 1;
}
