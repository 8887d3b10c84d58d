/* Cheaper adjoints, Fig. 11: a mesh; all indices come from tables that nothing writes. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n;
    double c = 0.0;
    for (int cell = 1; cell < 8; cell++) {
        int first = ia[cell - 1] + 1, last = ia[cell];
        for (int segment = first; segment <= last; segment++) {
            int origin = ia[40 + segment], extremity = ia[80 + segment];
            double vx = w[extremity] - w[origin], vy = w[40 + extremity] - w[40 + origin];
            double d = x[extremity] * vx + x[20 + extremity] * vy;
            w[100 + origin] = w[100 + origin] + d;
            w[100 + extremity] = w[100 + extremity] - d;
            c += d * w[100 + origin];
        }
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i < 8 ? 4 * i : (i < 80 ? i * 7 : i * 11) % 20;
    }
}
