/* demo_gradient: a gradient of the demo, in its default size, for each line of standard input: the seconds of forward
 * and reverse sweep, the cost and the norm of the gradient. */
#include "fourdvar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    adtape_t *tape;
    fourdvar_t p;
    double *w, *gradient;
    if (adtape_create(&tape) != ADTAPE_STATUS_OK || !fourdvar_create(&p, 256, 144, 144, 12, tape)) {
        (void)fprintf(stderr, "demo_gradient: no memory\n");
        return 1;
    }
    w = calloc((size_t)p.g.controls, sizeof(double));
    gradient = calloc((size_t)p.g.controls, sizeof(double));
    if (w == NULL || gradient == NULL) {
        return 1;
    }
    while (getchar() == '\n') {
        double j;
        p.forward_seconds = p.reverse_seconds = HUGE_VAL; /* they keep the least */
        j = cost_and_gradient(&p, w, gradient);
        printf("%.9f %.9f %.17e %.17e\n", p.forward_seconds, p.reverse_seconds, j, norm(p.g.controls, gradient));
        (void)fflush(stdout);
    }
    fourdvar_destroy(&p);
    free(w);
    free(gradient);
    return adtape_destroy(tape) == ADTAPE_STATUS_OK ? 0 : 1;
}
