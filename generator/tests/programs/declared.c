#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#define ORDER 3
#define TERMS (ORDER + 1)

double f_sum_with_rest(int n, double *x, int *ia, double *w);
double f_static_table_with_macros(int n, double *x, int *ia, double *w);
double f_long_sum(int n, double *x, int *ia, double *w);

/* The error of a sum, which a compiler must not simplify. */
double f_sum_with_rest(int n, double *x, int *ia, double *w) {
    double sum = 0.0, rest = 0.0;
    for (int i = 0; i < n; i++) {
        volatile double s = sum + x[i] * x[i];
        volatile double up = s - sum;
        rest += x[i] * x[i] - up;
        sum = s;
        s -= w[ia[0]];
        rest *= s;
    }
    return sum + rest;
}

/* The macros mean nothing behind the function. */
double f_static_table_with_macros(int n, double *x, int *ia, double *w) {
    static const double table[TERMS] = {1.0, 0.5, 0.25, 1.0 / TERMS};
    double value = 0.0;
    (void)w;
    for (int i = 0; i < n && i < TERMS; i++) value += table[i] * pow(x[i], ia[1] + i);
    return value;
}
#undef TERMS
#undef ORDER

static long double power(long double base, int exponent) {
    long double value = 1.0L;
    while (exponent-- > 0) value *= base;
    return value;
}

/* Sums and functions in long double. */
double f_long_sum(int n, double *x, int *ia, double *w) {
    long double sum = 0.0L, last[2] = {1.0L, 0.5L};
    for (int i = 0; i < n; i++) {
        const long double here = sinl((long double)x[i]) * sqrtl((long double)x[i] + last[i % 2]);
        last[i % 2] = here * here;
        sum += power(here, ia[0] + i) + fabsl(x[i] - last[(i + 1) % 2]);
    }
    return (double)(sum * last[0] / w[1]);
}

/* A variable that nothing reads in the arms behind the one that does. */
double f_in_one_arm(int n, double *x, int *ia, double *w) {
    double s = 1.0;
    (void)ia, (void)w;
    if (n > 100) {
        {
            double *block = malloc(sizeof(double));
            s = 0;
            x[0] = s;
            free(block);
        }
    } else {
        if (1) {
            x[0] *= x[1];
        } else {
            s = 0;
        }
    }
    return x[0];
}

/* An enumeration without a tag is signed if a value is negative. */
typedef enum { DOWN = -1, LEVEL, UP } direction;

static direction direction_of(double slope) {
    return slope < -0.5 ? DOWN : slope > 0.5 ? UP : LEVEL;
}

double f_enumeration(int n, double *x, int *ia, double *w) {
    direction s = DOWN, t = direction_of(w[0] - 0.9);
    double sum = s, from = t, list[3] = {LEVEL, UP, DOWN};
    (void)ia;
    for (int i = 0; i < n; i++) sum += from * x[i] * x[i] + s * x[i] + list[i % 3] * x[0];
    return sum * s + (t < UP ? list[2] * sum : x[0]);
}

/* Definitions in the old style: the call passes a double, an int. */
static float squash();
static double powers(x, sign, k) double x; char sign; short k; { return sign < 0 ? -x : k > 1 ? x * powers(x, sign, k - 1) : x; }
double f_old_style(int n, double *x, int *ia, double *w);
double f_old_style(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)w;
    for (int i = 0; i < n; i++) s += squash((float)x[i], 0.5f, 300) * powers(x[i], ia[0], 3);
    return s;
}
static float squash(x, by, more) float x, by; unsigned char more; { return more > 40 ? x * x * by : squash(x * by, by, more + 30); }

/* Places of members, as the compiler knows them. */
struct record { int n; double at[4]; struct { float first; double second; } rest; };
double f_offset(int n, double *x, int *ia, double *w);
double f_offset(int n, double *x, int *ia, double *w) {
    size_t at = offsetof(struct record, at);
    double s = 0.0;
    (void)ia;
    for (size_t i = 0; i < offsetof(struct record, rest.second) / 8; i++) s += x[i % (size_t)n] * x[0] * (double)at * w[i % at];
    return s;
}

/* Flags that a signal handler sets. */
volatile sig_atomic_t interrupted;
static volatile int passes = 3;

static void interrupt(int number) {
    (void)number;
    interrupted = 1;
}

static double unless_interrupted(double y) { return interrupted ? y : y * y * 0.5 + 1.0; }

double f_interrupted(int n, double *x, int *ia, double *w) {
    double s = 1.0;
    (void)ia;
    (void)w;
    interrupted = 0;
    signal(SIGINT, interrupt);
    for (int i = 0; i < n; i++) {
        if (interrupted || passes > 100) break;
        s = s * x[i] + unless_interrupted(s);
        if (i < passes && !interrupted) s *= x[0];
        s += x[i] * s * passes;
    }
    int seed = passes;
    signal(SIGINT, SIG_DFL);
    return s * seed * (interrupted ? 0.0 : x[1]);
}
