/* Functions of tgmath.h, which take the width of their argument. */
#include <tgmath.h>

double f_double(int n, double *x, int *ia, double *w) {
    double sum = 0.0;
    (void)ia;
    (void)w;
    for (int i = 0; i < n; i++) {
        if (x[i] > 0.0) sum += log(x[i]) * sqrt(x[i]);
        sum = sin(sum) + pow(x[i], 2) + fabs(x[i] - 0.3) + hypot(sum, x[0]);
    }
    return sum;
}

double f_mixed(int n, double *x, int *ia, double *w) {
    float a = 0.5f;
    long double b = x[0];
    (void)n;
    (void)ia;
    (void)w;
    b = exp(b) * x[1];
    return cos(a) * x[0] + (double)(atan2(b, (long double)x[1]) * b);
}
