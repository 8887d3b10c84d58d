/* hot_loop.f90 in C: tests/outside/kit.rs counts the calls that are left in the sweeps when they are compiled with kit/include. */
#if defined(KIT_INLINE)
#include "adStack.h"
#else
void pushReal8(double x);
void popReal8(double *x);
void pushInteger4(int x);
void popInteger4(int *x);
void pushControl1b(int cc);
void popControl1b(int *cc);
void pushControl2b(int cc);
void popControl2b(int *cc);
#endif

#include <stdio.h>

enum { N = 20000 };

__attribute__((noinline)) void forward_sweep(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        pushReal8(x[i]);
        x[i] = x[i] * y[i];
        if (x[i] > 1.0) {
            pushReal8(y[i]);
            y[i] = y[i] * 0.5;
            pushControl1b(1);
        } else {
            pushControl1b(0);
        }
        pushInteger4(i);
        pushControl2b(i % 4);
    }
}

__attribute__((noinline)) void reverse_sweep(int n, double *x, double *y, double *xb, double *yb) {
    int k, branch, quarter;
    for (int i = n - 1; i >= 0; i--) {
        popControl2b(&quarter);
        popInteger4(&k);
        popControl1b(&branch);
        if (branch == 1) {
            popReal8(&y[k]);
            yb[k] = 0.5 * yb[k];
        }
        popReal8(&x[k]);
        yb[k] = yb[k] + x[k] * xb[k] + quarter;
        xb[k] = y[k] * xb[k];
    }
}

int main(void) {
    static double x[N], y[N], xb[N], yb[N];
    double sums[2] = {0.0, 0.0};
    for (int i = 0; i < N; i++) {
        x[i] = 0.5 + i % 7;
        y[i] = 1.0 / (1 + i % 5);
        xb[i] = 1.0;
    }
    forward_sweep(N, x, y);
    reverse_sweep(N, x, y, xb, yb);
    for (int i = 0; i < N; i++) {
        sums[0] += xb[i];
        sums[1] += yb[i];
    }
    printf("%a %a\n", sums[0], sums[1]);
    return 0;
}
