/* A pass makes a block, whose contents go on the tape where it is freed, and a struct in an arm of a branch. */
#include <stdlib.h>

struct pair {
    double first, second[2];
};

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static double product(struct pair p) {
    return p.first * p.second[0] * p.second[1];
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double s = x[0];
    for (int i = 0; i < n; i++) {
        double *block = malloc(3 * sizeof(double));
        for (int k = 0; k < 3; k++) block[k] = s * x[k];
        s += 0.1 * block[0] * block[1] * block[2];
        if (i % 2 == 0) {
            struct pair p = {s, {x[1], x[2]}};
            s = 0.5 * s + product(p);
        }
        free(block);
        s = s / (1.0 + s * s);
    }
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
