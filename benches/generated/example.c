/* The time of an example's generated adjoint beside that of its model: DRIVER, of examples/generated, as it is, with
 * timing behind its test. Behind what the test prints, a line for each round:
 *
 *   time generated_ns model_ns     of an item of the example
 *
 * A round is as many calls of both as take 2 ms. */
#include "../../examples/generated/common.h"
#include "clock.h"

#include <stdlib.h>

/* Returns a status for exit. */
static int timed(adtape_function_f64_t f, adtape_gradient_f64_t gradient, int n, const double *inputs, double items,
                 const char *item) {
    enum { ROUNDS = 15 };
    const size_t bytes = (size_t)n * sizeof *inputs;
    double *inputs_b = malloc(bytes), times[3];
    int calls = 1;
    if (inputs_b == NULL || tested(f, gradient, n, inputs, items, item) != 0) {
        return 1;
    }
    for (int round = 0; round < ROUNDS;) {
        times[0] = nanoseconds();
        for (int call = 0; call < calls; call++) {
            memset(inputs_b, 0, bytes);
            gradient(n, inputs, inputs_b, NULL);
        }
        times[1] = nanoseconds();
        for (int call = 0; call < calls; call++) computed = f(n, inputs, NULL);
        times[2] = nanoseconds();
        if (times[2] - times[0] < 2e6) {
            calls *= 2;
            continue;
        }
        for (int part = 0; part < 2; part++) times[part] = (times[part + 1] - times[part]) / calls / items;
        printf("time %.3f %.3f\n", times[0], times[1]);
        round++;
    }
    free(inputs_b);
    return 0;
}

#define tested timed
#include DRIVER
