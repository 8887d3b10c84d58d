/* Functions of math.h that have a second result, or a derivative that C's library lacks; functions of the compiler. */

#define _DEFAULT_SOURCE
#include <float.h>
#include <math.h>

double f_remquo(int n, double *x, int *ia, double *w) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double r = remquo(9.0 * x[i], w[i], &ia[3]);
        switch (ia[3] & 3) {
        case 0: sum += r * r; break;
        case 1: sum += sin(r) * x[i]; break;
        default: sum -= r * w[i];
        }
    }
    float rest = remquof(1.7f, 0.3f, &ia[4]);
    (void)remquo(x[1], 0.2, &ia[5]);
    return sum + (double)(ia[4] + ia[5]) * x[2] + (double)rest;
}

double f_gamma(int n, double *x, int *ia, double *w) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        int sign;
        double g = lgamma_r(x[i] - 2.05, &sign);
        sum += (double)sign * g * w[i] + tgamma(3.0 * w[i]) * lgamma(30.0 * x[i]);
        if (fpclassify(x[i]) == FP_NORMAL) sum *= x[i];
        ia[i] = sign;
    }
    return sum;
}

/* The derivative of a sine is a cosine that comes later. */
double f_sine_first(int n, double *x, int *ia, double *w) {
    double s, c, a = 0.0, b = 0.0;
    (void)w;
    for (int i = 0; i < n; i++) {
        s = sin(x[i]);
        c = cos(x[i]);
        switch (ia[i]) {
        case 0:
            a += s * b;
            b = c;
            break;
        case 1:
            a = c * b;
            b -= s;
            break;
        default:
            a = -c;
            b = s * a;
        }
    }
    return a * b;
}

/* Bits of integers, and what only tells the compiler something. */
double f_bits(int n, double *x, int *ia, double *w) {
    double *at = __builtin_assume_aligned(x, sizeof(double));
    double sum = 0.0;
    for (unsigned i = 1; i < (unsigned)n; i++) {
        __builtin_prefetch(w + i);
        if (__builtin_expect(__builtin_popcount(i) & 1, 1)) at[i] *= x[(unsigned)__builtin_ctz(i)];
        sum += at[i] * x[(unsigned)(__builtin_clz(i) & 3)] * w[__builtin_ffs((int)i)];
    }
    ia[1] = __builtin_parityl(7ul) + __builtin_popcountll(255ull);
    return sum * FLT_ROUNDS + __builtin_fabs(x[0]) * __builtin_sqrt(x[1]) * ia[1];
}
