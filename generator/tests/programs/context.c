#include <math.h>
#include <stdlib.h>

/* Functions hand memory to others by pointers at file scope. */

static const double *data;
static int count;

static double residual(double p) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += exp(-p * data[i]) - 0.5;
    return sum;
}

static double newton(double (*f)(double), double p) {
    for (int k = 0; k < 4; k++) p -= f(p) / (1e3 * (f(p + 1e-3) - f(p)));
    return p;
}

double f_root(int n, double *x, int *ia, double *w) {
    (void)ia;
    data = x;
    count = n;
    return newton(residual, w[0]);
}

/* A second head sets the same variable. */
double f_shifted(int n, double *x, int *ia, double *w) {
    (void)ia;
    data = x + 1;
    count = n - 1;
    double s = residual(w[1]);
    x[1] *= s;
    return s * residual(x[0]);
}

static struct {
    const double *y;
    double *h;
    int n;
    struct {
        double *at;
    } last;
} handler;

static void variances(const double *p) {
    handler.h[0] = p[0];
    for (int i = 1; i < handler.n; i++)
        handler.h[i] = p[0] + p[1] * handler.y[i - 1] * handler.y[i - 1] + p[2] * handler.h[i - 1];
    *handler.last.at += handler.h[handler.n - 1];
}

double f_members(int n, double *x, int *ia, double *w) {
    (void)ia;
    handler.y = x;
    handler.h = w + 3;
    handler.n = n;
    handler.last.at = &x[1];
    variances(w);
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += log(handler.h[i]) + x[i] * x[i] / w[3 + i];
    return sum;
}

/* It is not set on each way. */
static double *place;

static double square(void) {
    *place *= 1.5;
    return *place * *place;
}

double f_early(int n, double *x, int *ia, double *w) {
    if (ia[0] == 7) return x[0];
    double s = 0.0;
    place = x + 2;
    for (int i = 0; i < n; i++) s += square() * w[i];
    return s + *place;
}

/* It leads to memory of the function itself. */
static double *scratch;

static double sum_of(int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += scratch[i] * scratch[(i + 1) % n];
    return s;
}

double f_own(int n, double *x, int *ia, double *w) {
    double own[8];
    (void)ia;
    scratch = own;
    for (int i = 0; i < n; i++) scratch[i] = x[i] * x[i] * w[i];
    double s = sum_of(n);
    scratch[1] = s * x[0];
    return s + sum_of(n) + own[1];
}

/* Nothing but this name leads to the struct. */
typedef struct {
    double rate, offset;
} *setting;

static double of_setting(const double *x, void *given) {
    setting s;
    s = (setting)given;
    return s->rate * x[0] * x[0] + s->offset * x[1];
}

double f_setting(int n, double *x, int *ia, double *w) {
    setting s = malloc(sizeof *s);
    (void)n, (void)ia;
    s->rate = x[1];
    s->offset = w[0] * x[2];
    double r = of_setting(x, s);
    free(s);
    return r;
}
