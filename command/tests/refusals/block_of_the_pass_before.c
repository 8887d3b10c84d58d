#include <stdlib.h>

double f(int n, double *x) {
    double *last = malloc(2 * sizeof *last), sum = 0.0;
    last[0] = 1.0;
    last[1] = 2.0;
    for (int i = 0; i < n; i++) {
        double *next = malloc(2 * sizeof *next);
        next[0] = x[i];
        next[1] = x[i] * x[0];
        sum += last[0] * next[1] + next[0] * last[1];
        free(last);
        last = next;
    }
    return sum;
}
