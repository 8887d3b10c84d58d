/* serial: the cost and its gradient by the demo's own program without MPI, for the program on many ranks to be compared
 * with. It writes them to a file: the cost, then a derivative by each control.
 *
 *     serial FILE */
#include "experiment.h"
#include "fourdvar.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what) {
    (void)fprintf(stderr, "serial: %s\n", what);
    return 1;
}

int main(int argc, char **argv) {
    const experiment_t e = experiment_choose();
    fourdvar_t p;
    double *w, *about, *gradient, j;
    FILE *file;
    size_t n;
    if (argc != 2) {
        (void)fprintf(stderr, "usage: serial FILE\n");
        return 2;
    }
    if (!fourdvar_create(&p, e.nx, e.ny, e.steps, e.observe_every, adtape_self())) {
        return fail("no memory");
    }
    n = (size_t)p.g.controls;
    w = calloc(n, sizeof(double));
    about = calloc(n, sizeof(double));
    gradient = calloc(n, sizeof(double));
    if (w == NULL || about == NULL || gradient == NULL) {
        return fail("no memory");
    }
    noise(1, p.g.controls, about);
    for (size_t c = 0; c < n; c++) {
        w[c] = 0.5 * p.truth[c] + 0.01 * about[c];
    }
    j = cost_and_gradient(&p, w, gradient);
    file = fopen(argv[1], "wb");
    if (file == NULL || fwrite(&j, sizeof j, 1, file) != 1 || fwrite(gradient, sizeof(double), n, file) != n ||
        fclose(file) != 0) {
        return fail("the file cannot be written");
    }
    free(w);
    free(about);
    free(gradient);
    fourdvar_destroy(&p);
    return 0;
}
