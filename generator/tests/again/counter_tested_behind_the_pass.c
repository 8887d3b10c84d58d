/* Nothing but its test reads the counter of an inner loop. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double u = x[0];
    for (int i = 0; i < n; i++) {
        int k = 1;
        do {
            k += 2;
            u = sin(u) * x[1];
        } while (k < 6);
    }
    return u;
}

void tables(int *ia) {
    ia[0] = 0;
}
