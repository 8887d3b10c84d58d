/* Three buffers change places in each pass: an array, a block and memory of the caller. A step that is too long is tried again. */
#include <math.h>
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static void advance(int m, const double *before, const double *now, double *next, double h) {
    next[0] = now[0];
    next[m - 1] = now[m - 1];
    for (int i = 1; i < m - 1; i++) {
        next[i] = 2.0 * now[i] - before[i] + h * (now[i - 1] - 2.0 * now[i] + now[i + 1]) * sin(now[i]);
    }
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = 0.0, h = 0.4, array[8], *const block = malloc(8 * sizeof *block);
    double *before = array, *now = block, *next = w, *spare;
    for (int i = 0; i < 8; i++) {
        before[i] = x[i];
        now[i] = x[i] * 1.1;
    }
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < n; t++) {
        advance(8, before, now, next, h);
        if (fabs(next[3]) > 4.0 && h > 0.01) {
            h *= 0.5;
        } else {
            spare = before;
            before = now;
            now = next;
            next = spare;
        }
    }
    for (int i = 0; i < 8; i++) s += now[i] * before[i];
    free(block);
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
