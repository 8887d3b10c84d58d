#include <math.h>
#include <stdio.h>
#include <stdlib.h>
/* Structs that hold pointers: by value, local, copied; error handlers; functions with two results. */
typedef struct { double scale; int n; double *values; const double *weights; } series;
typedef void handler(const char *what, const char *file, int line, int code);
handler *on_error = NULL;
extern void report(const char *what, int code);
double f_by_value(int n, double *x, int *ia, double *w);
double f_local(int n, double *x, int *ia, double *w);
double f_copied(int n, double *x, int *ia, double *w);
double f_marched(int n, double *x, int *ia, double *w);
double f_rows(int n, double *x, int *ia, double *w);
double f_labelled(int n, double *x, int *ia, double *w);
double f_scope(int n, double *x, int *ia, double *w);
double f_handler(int n, double *x, int *ia, double *w);
double f_results(int n, double *x, int *ia, double *w);
static double weighted(series s) {
    double sum = 0.0;
    for (int i = 0; i < s.n; i++) sum += s.values[i] * s.weights[i];
    return sum * s.scale;
}
static double product(const series *s) {
    double p = s->scale;
    for (int i = 0; i < s->n; i++) p *= s->values[i] + s->weights[i];
    return p;
}
double f_by_value(int n, double *x, int *ia, double *w) {
    (void)ia;
    series s = { x[0], n, x, w };
    series t = s;
    t.scale = s.scale * x[1];
    return weighted(t) + weighted(s);
}
double f_local(int n, double *x, int *ia, double *w) {
    (void)ia;
    double own[3];
    for (int i = 0; i < 3; i++) own[i] = x[i] * x[i];
    series s = { x[1], 3, own, x };
    double first = product(&s);
    own[1] = first;
    (void)n; (void)w;
    return first + product(&s);
}
double f_copied(int n, double *x, int *ia, double *w) {
    (void)ia;
    series s = { x[0], n, x, w };
    series t = s;
    t.weights = x + 1;
    t.n = n - 1;
    return product(&t);
}
double f_rows(int n, double *x, int *ia, double *w) {
    (void)ia; (void)w; (void)n;
    double *rows[2];
    double sum = 0.0;
    rows[0] = x;
    rows[1] = x + 1;
    for (int i = 0; i < 2; i++) sum += rows[i][0] * rows[1 - i][1];
    return sum;
}
double f_scope(int n, double *x, int *ia, double *w) {
    double sum = 0.0;
    (void)ia;
    for (int i = 0; i + 1 < n; i++) {
        series s = { 0 };
        s.scale = x[i];
        s.n = 2;
        s.values = x + i;
        s.weights = w;
        sum += product(&s) * x[0];
    }
    return sum;
}
static void fail(const char *what, const char *file, int line, int code) {
    if (on_error) {
        (*on_error)(what, file, line, code);
        return;
    }
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}
double f_handler(int n, double *x, int *ia, double *w) {
    (void)ia; (void)w;
    if (n < 1) {
        fail("no data", __FILE__, __LINE__, 1);
        return 0.0;
    }
    return sqrt(x[0]) * x[n - 1];
}
double f_results(int n, double *x, int *ia, double *w) {
    int e;
    double whole;
    double m = frexp(x[0] * 24.0, &e);
    double rest = modf(x[1] * 9.0, &whole);
    (void)n; (void)ia; (void)w;
    return m * m * e + rest * rest * whole * x[2];
}

/* A pointer that begins where one in memory points to, and moves on some passes only. */
static void positive(const series *s, double *const *outputs) {
    const double *from = s->weights;
    double *to = s->values, *output = outputs[1];
    for (int i = 0; i < s->n; i++) {
        double v = *from++;
        if (v > 0.3) *output++ = v * v;
        if (i % 2) {
            *to *= v;
            to++;
        }
    }
}
double f_marched(int n, double *x, int *ia, double *w) {
    double squares[8] = {0}, unused[1] = {0};
    double *outputs[2] = { unused, squares };
    series s = { x[0], n, x, w };
    (void)ia;
    positive(&s, outputs);
    return squares[0] * x[1] + squares[1] * x[0] + x[2];
}
typedef struct { char label[12]; double scale, shift; double *values; const double *unused; } labelled;
static double moved(const labelled *l, int n) {
    double sum = l->shift;
    for (int i = 0; i < n; i++) sum += l->scale * l->values[i];
    return sum * sum;
}
double f_labelled(int n, double *x, int *ia, double *w) {
    (void)ia; (void)w;
    labelled l = {0};
    l.scale = x[0];
    l.shift = x[1] * x[2];
    l.values = x;
    return moved(&l, n);
}

/* Such a struct may be set behind an early return, in an arm, in each pass of a loop. */
typedef struct { double full, area; int code; } section;
typedef struct { double depth, slope; const section *shape; double *out; } passage;
static double through(passage *p, double h) {
    p->slope = h / p->depth;
    *p->out += p->slope * p->shape->area;
    return p->slope * sqrt(p->shape->full) + *p->out;
}
double f_behind_a_return(int n, double *x, int *ia, double *w) {
    section sections[2] = { { x[0], x[1], 1 }, { x[2], x[3], 2 } };
    passage p;
    if (ia[1] > 0) return x[0];
    p.shape = &sections[ia[0]];
    p.out = w;
    if (p.shape->code > 2) return x[1];
    p.depth = p.shape->full * x[1];
    double q = through(&p, x[2]);
    if (n < 2) return q;
    return q * through(&p, q);
}
double f_in_an_arm(int n, double *x, int *ia, double *w) {
    section all[3] = { { x[0], x[1], 1 }, { x[2], x[3], 2 }, { 1.0, x[0], 3 } };
    passage p;
    double s = 0.0;
    p.depth = x[3];
    for (int i = 0; i < n; i++) {
        if (i % 3 == 2) continue;
        p.shape = &all[ia[i % 3]];
        p.out = &w[i];
        s += through(&p, x[i]) * p.depth;
        p.depth *= 1.1;
    }
    return s;
}
