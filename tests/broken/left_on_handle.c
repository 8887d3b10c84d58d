/* left_on_handle.c: a tape of its own keeps the guesses of a solver, whose reverse sweep pops one less. */
#include <adtape.h>

enum { STEPS = 6 };

int main(void) {
    adtape_t *spare;
    double guess = 1.0, adjoint = 1.0;
    if (adtape_create(&spare) != ADTAPE_STATUS_OK) {
        return 1;
    }
    for (int step = 0; step < STEPS; step++) {
        adtape_push_f64(spare, guess);
        guess = 0.5 * (guess + 2.0 / guess);
    }
    for (int step = STEPS - 1; step > 0; step--) {
        adtape_pop_f64(spare, &guess);
        adjoint *= 0.5 - 1.0 / (guess * guess);
    }
    return adjoint > 1.0 ? 1 : 0;
}
