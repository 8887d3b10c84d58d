/* A small adjoint in the generated style that does little besides push and pop: compiled once with calls and once with
 * kit/include, which inlines them. Prints a part of the gradient. */
#if defined(KIT_INLINE)
#include "adStack.h"
#else
void pushReal8(double x);
void popReal8(double *x);
void pushInteger4(int x);
void popInteger4(int *x);
void pushControl1b(int cc);
void popControl1b(int *cc);
#endif

#include <stdio.h>

enum { CELLS = 4000, STEPS = 4000 };

/* x(i) <- x(i) + h (y(i) - x(i)), capped. */
static void step_b(double *x, double *xb, const double *y, double *yb, double h) {
    double t = 0.0, tb = 0.0;
    int k = 0, branch;
    for (int i = 0; i < CELLS; i++) {
        pushInteger4(k);
        k = i;
        pushReal8(t);
        t = h * (y[k] - x[k]);
        if (t > 1.0) {
            pushReal8(x[k]);
            x[k] = x[k] + 1.0;
            pushControl1b(0);
        } else {
            pushReal8(x[k]);
            x[k] = x[k] + t;
            pushControl1b(1);
        }
    }
    for (int i = CELLS - 1; i >= 0; i--) {
        popControl1b(&branch);
        if (branch == 0) {
            popReal8(&x[k]);
        } else {
            popReal8(&x[k]);
            tb = tb + xb[k];
        }
        popReal8(&t);
        yb[k] = yb[k] + h * tb;
        xb[k] = xb[k] - h * tb;
        tb = 0.0;
        popInteger4(&k);
    }
}

int main(void) {
    static double x[CELLS], xb[CELLS], y[CELLS], yb[CELLS];
    for (int i = 0; i < CELLS; i++) {
        x[i] = (double)(i % 50);
        y[i] = (double)(i % 7);
        xb[i] = 1.0;
    }
    for (int step = 0; step < STEPS; step++) {
        step_b(x, xb, y, yb, 1e-3);
    }
    printf("%.17g %.17g\n", yb[CELLS / 2], xb[CELLS / 2]);
    return 0;
}
