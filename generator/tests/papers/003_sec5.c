/* Control flow reversal, section 5: a search that breaks off, a jump out of it, an early return. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)w;
    double c = 0.0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 5; k++) {
            if (ia[i + k] == 3) {
                break;
            }
            if (ia[i + k] == 11) {
                goto next;
            }
            c += x[i] * x[i + k];
        }
        if (c > 60.0) {
            return c * x[i];
        }
        c += 2.0 * x[i];
    next:;
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i * 5 % 13;
    }
}
