/* Each pass has a block of its own, whose contents it needs; a pointer in a struct leads there from a function. */
#include <math.h>
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

struct part {
    double *at;
    int count;
};

static void attach(struct part *part, double *at, int count) {
    part->at = at;
    part->count = count;
}

static double sum(const struct part *part) {
    double s = 0.0;
    for (int i = 0; i < part->count; i++) s += part->at[i] * part->at[i];
    return s;
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double c = 0.0;
    for (int k = 2; k < 5; k++) {
        double *t = malloc((size_t)k * sizeof *t);
        if (!t) abort();
        struct part part;
        attach(&part, t, k);
        for (int i = 0; i < k; i++) t[i] = 0.2 + 0.1 * x[n - i - 1];
        c += sum(&part) * x[k];
        t[k - 1] = c;
        c += t[0] * t[k - 1];
        free(t);
    }
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
