/* Local variables that hold one of several functions. */
#include <math.h>
#include <stddef.h>

typedef double (*law)(double x);

static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }

double f_by_condition(int n, double *x, int *ia, double *w) {
    double (*g)(double) = ia[0] > 0 ? square : cube;
    double (*h)(double) = ia[1] > 0 ? square : &cube;
    (void)n;
    return g(x[0]) * w[0] + (*h)(x[1]) * g(x[2]);
}

/* Another function in each pass, and the choice depends on what the loop computes. */
double f_in_a_loop(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    law g = sin, last = NULL;
    (void)ia;
    for (int i = 0; i < n; i++) {
        s += g(x[i] + s) * w[i];
        last = g;
        if (s > 0.5) g = cube;
        else if (i % 2 == 0) g = square;
        else g = last == cube ? sin : exp;
    }
    return last ? s + last(x[0]) : 0.0;
}

/* One after the other, and passed on. */
static double applied(law f, double x) { return f(x) + 1.0; }

double f_switched(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)w;
    for (int i = 0; i < n; i++) {
        law g;
        switch (ia[i % 3]) {
        case 0: g = square; break;
        case 1: g = cos; break;
        default: g = cube; break;
        }
        x[i] = g(x[i]);
        s += x[i] * g(s) + applied(square, x[i]);
    }
    return s;
}

/* Functions that write through their arguments. */
typedef void (*step)(double *x, double h);
static void forward(double *x, double h) { x[0] += h * x[0] * x[1]; }
static void twice(double *x, double h) {
    forward(x, 0.5 * h);
    forward(x + 1, 0.5 * h);
}

double f_steps(int n, double *x, int *ia, double *w) {
    step advance = forward;
    for (int i = 0; i + 2 < n + 2; i++) {
        advance(x, w[i]);
        advance = x[0] > 1.2 || ia[0] == 0 ? twice : forward;
    }
    return x[0] * x[1] * x[2];
}

/* From a table, from a member, and what a parameter stands for. */
static double (*const table[])(double) = {square, sin, cube};
struct rule { int order; double (*apply)(double); };
static const struct rule rules[] = {{2, square}, {1, cosh}};

static double iterated(double (*given)(double), double x, int n) {
    double (*g)(double) = given;
    for (int i = 0; i < n; i++) x = 0.5 * g(x);
    return x;
}

double f_from_memory(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia;
    for (int i = 0; i < n; i++) {
        law g = table[i % 3];
        s += g(x[i]) * w[i];
        if (i > 1) g = rules[i % 2].apply;
        s *= g(x[0]);
    }
    return s + iterated(cube, x[1], 2) + iterated(cosh, x[2], 3);
}

/* Members of structs that a function sets to what it is given, once and in each pass. */
typedef struct {
    double w;
    law act;
} layer;

static void layer_set(layer *l, double w, law act) {
    l->w = w;
    l->act = act;
}
static double layer_use(const layer *l, double x) { return l->act(l->w * x); }

double f_handed_on(int n, double *x, int *ia, double *w) {
    layer net[2];
    double s = 0.0;
    (void)ia;
    layer_set(&net[0], x[0], square);
    layer_set(&net[1], x[1], tanh);
    for (int i = 0; i < n; i++) s += layer_use(&net[i % 2], x[i]) * w[i];
    return s;
}

double f_handed_on_in_a_loop(int n, double *x, int *ia, double *w) {
    layer one = {x[0], cube};
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        if (ia[i % 3] > 0) one.act = sin;
        else if (i % 2 == 0) layer_set(&one, one.w * x[i], square);
        s += layer_use(&one, x[i]) * w[i];
        one.w *= 1.0 + s;
    }
    return s;
}
