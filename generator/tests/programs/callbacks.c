/* Functions as arguments. */

#include <math.h>
#include <stddef.h>

typedef double (*function)(double x, const void *p);

typedef struct {
    double scale, shift;
    int calls;
} setting;

typedef struct {
    double value, slope;
} both;

static double wave(double x, const void *p) {
    const setting *s = (const setting *)p;
    return sin(s->scale * x) + s->shift;
}

static double bell(double x, const void *p) {
    const double *width = p;
    return exp(-x * x / width[0]);
}

/* The rule of Simpson. */
static double integral(function f, double a, double b, int n, const void *p) {
    if (f == NULL) return 0.0;
    double h = (b - a) / (2 * n), sum = f(a, p) + (*f)(b, p);
    for (int i = 1; i < 2 * n; i++) sum += (i % 2 == 1 ? 4.0 : 2.0) * f(a + i * h, p);
    return sum * h / 3.0;
}

/* Passes the function on. */
static double twice(function f, double b, const void *p) {
    return integral(f, 0.0, b, 2, p) + integral(*f, b, 2.0 * b, 3, p);
}

static double root(double (*f)(double), double (*slope)(double), double x, double y) {
    for (int i = 0; i < 3; i++) x -= (f(x) - y) / slope(x);
    return x;
}

static double cube(double x) {
    return x * x * x;
}

static double of_cube(double x) {
    return 3.0 * x * x;
}

static both line(double x) {
    both b = {2.0 * x, x * x};
    return b;
}

static double at(both (*f)(double), double x) {
    both b = f(x);
    return b.value * f(b.slope).slope;
}

static int count_to(int n, int (*is)(int)) {
    int found = 0;
    for (int i = 0; i < n; i++) found += is(i);
    return found;
}

static int even(int k) {
    return k % 2 == 0;
}

double f_integrals(int n, double *x, int *ia, double *w) {
    setting s = {x[0], w[0], 0};
    double width[1] = {x[1]};
    (void)ia;
    return integral(wave, 0.0, x[2], n, &s) * integral(bell, x[3], 1.5, n, width) + twice(&wave, w[1], &s) +
           twice(bell, x[0], width);
}

double f_library(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia;
    return root(exp, exp, x[0], x[1]) * root(cube, of_cube, x[2], w[0]) + root(sin, cos, 0.3, 0.5 * x[3]);
}

double f_structs(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    return at(line, x[0]) * count_to(n, even) + x[1];
}

/* A function that may be left out: NULL says so. */
static double steps(double (*slope)(double), void (*watch)(int, double *), double y, int n) {
    for (int i = 0; i < n; i++) {
        y += 0.1 * slope(y);
        if (watch != NULL) watch(i, &y);
    }
    return y;
}

/* Hands both on. */
static double from_there(double (*slope)(double), void (*watch)(int, double *), double (*end)(double), double y) {
    double sum = steps(slope, watch, y, 2);
    return end ? end(sum) : sum;
}

static void damp(int i, double *y) {
    *y *= 1.0 - 0.1 * i;
}

double f_left_out(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    return steps(sin, NULL, x[0], 3) * steps(cos, damp, x[1], 2) + from_there(exp, 0, NULL, x[2]) +
           from_there(sin, damp, cube, x[3]);
}

/* A parameter without prototype. */
static double weighted(double (*f)(double), double weight(), double at, double p) {
    return (*f)(at) * (*weight)(at, p, 2);
}

static double power(double at, double p, int k) {
    return pow(at, p) + k;
}

static double decay(double at, double p, int k) {
    return exp(-p * at) / k;
}

double f_no_prototype(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia;
    return weighted(sin, power, 1.0 + x[0] * x[0], x[1]) + weighted(cos, decay, x[2], w[0]);
}
