#include <math.h>

double f_enumerators(int n, double *x, int *ia, double *w);
double f_two_sums(int n, double *x, int *ia, double *w);

enum { first = 5 };

static double quadratic(const double *q, const double *x) {
    enum { first = 0, second, both = 3 };
    double sum = q[first] * x[0] * x[0] + q[second] * x[1] * x[1];
    sum += 2.0 * q[both] * x[0] * x[1];
    return sum;
}

static double of_kind(const double *x, int at) {
    typedef enum { LINEAR = 1, SQUARE } kind;
    enum { LAST = SQUARE } end = LAST;
    kind which = at > 0 ? SQUARE : LINEAR;
    if (which == SQUARE) return x[SQUARE] * x[SQUARE];
    return x[LINEAR] * end;
}

/* Enumerators that only a function knows. */
double f_enumerators(int n, double *x, int *ia, double *w) {
    double value = quadratic(w, x) + quadratic(x, w) * x[n - 1];
    value *= of_kind(x, ia[0]) + exp(-of_kind(x, ia[1]));
    return value + x[first - 5];
}

static void four(const double *x, double *sum) {
    for (int k = 0; k < 4; k++) sum[k] += x[k] * x[0];
}

static double one(const double *x) { return sin(x[0]) * x[0]; }

/* An array and, behind it, a number of one name. */
double f_two_sums(int n, double *x, int *ia, double *w) {
    double all = 0.0;
    int i;
    (void)w;
    for (i = 0; i + 3 < n; i += 4) {
        double sum[4] = {0, 0, 0, 0};
        four(x + i, sum);
        all += sum[0] * sum[ia[2]];
    }
    for (i = 0; i < n; i++) {
        double sum;
        sum = one(&x[i]);
        all += sum * all;
    }
    return all;
}

/* Names of the library's kind, with a number behind them. */
double f_name_of_the_library(int n, double *x, int *ia, double *w);
double f_name_of_the_library(int n, double *x, int *ia, double *w) {
    double s = w[0] + ia[0];
    for (int i = 0; i < n; i++) {
        double adtape = x[i] * x[i];
        s *= adtape;
    }
    return s;
}

/* A float that no memory holds: adjoint and tangent round it in their own ways. */
double f_rounded_in_between(int n, double *x, int *ia, double *w);
double f_rounded_in_between(int n, double *x, int *ia, double *w) {
    double s = w[0] + ia[0];
    for (int i = 0; i < n; i++) s += (double)(float)(x[i] * x[i]) * x[0];
    return s;
}
