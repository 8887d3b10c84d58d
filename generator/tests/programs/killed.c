#include <math.h>

/* What a loop or a branch gives a variable without a derivative ends the derivative that it had. */
double f_loop(int n, double *x, int *ia, double *w) {
    double mean = x[0], middle = w[0];
    for (int k = 0; k < n / 3; k++) {
        mean = 0.0;
        for (int i = 0; i < 3; i++) {
            mean += ia[i];
        }
        middle = mean * 2.0;
    }
    return mean * mean + middle + x[1];
}

double f_branch(int n, double *x, int *ia, double *w) {
    double s = x[0] * x[1], t = x[2];
    for (int k = 0; k < n; k++) {
        t += s * w[k];
        if (ia[k] == 1) {
            if (ia[k + 1] == 0) {
                s = 3.0;
            } else {
                s = 4.0;
            }
            s *= 0.5;
            for (int i = 0; i < ia[k]; i++) {
                if (s > 1.0) s -= 0.25;
            }
        } else {
            s *= x[k];
        }
    }
    return s * s + t;
}

/* No adjoint reads the factor of what passes none on, so nobody restores it. */
double f_sign(int n, double *x, int *ia, double *w) {
    w[0] *= copysign(1.0, x[0]);
    w[0] = 0.0;
    return x[1] * x[n - 1];
}
