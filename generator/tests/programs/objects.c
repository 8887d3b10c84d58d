/* Structs as libraries of vectors and of shapes write them. */

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A tag and a typedef of one name, the typedef first. */
typedef struct shape shape;
typedef struct hidden hidden;
typedef struct vec {
    double x, y, z;
} vec;

struct shape {
    vec centre;
    double (*area)(double);
    hidden *owner;
};

typedef struct ball {
    shape base;
    double radius;
} ball;

/* Without a name. */
static struct {
    double sum;
    struct {
        double squares[2];
    } inner;
} gathered;

static vec vec_of(double x, double y, double z) {
    vec v = {x, y, z};
    return v;
}

static vec turned(double a, vec v) {
    return vec_of(cos(a) * v.x - sin(a) * v.y, sin(a) * v.x + cos(a) * v.y, v.z * v.z);
}

/* What a call gives goes where its argument is. */
static void turn(shape *s, double a) {
    s->centre = turned(a, s->centre);
    s->centre = turned(0.5 * a, s->centre);
}

/* Reads none of the arguments that have no name. */
static void trace(int level, const char *format, ...) {
    (void)level, (void)format;
}

static void say(const char *format, ...) {
    va_list all;
    va_start(all, format);
    vfprintf(stderr, format, all);
    va_end(all);
}

double f_turned(int n, double *x, int *ia, double *w) {
    (void)n;
    ball b = {{{x[0], x[1], x[2]}, 0, 0}, w[0]};
    for (int i = 0; i < 3; i++) turn((shape *)&b, x[3] * b.radius);
    trace(ia[0], "%g", b.base.centre.x);
    if (b.radius < -100.0) say("radius %g\n", b.radius);
    return b.base.centre.x * b.base.centre.y + b.base.centre.z;
}

double f_gathered(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    gathered.sum = 0.0;
    for (int i = 0; i < n; i++) gathered.sum += x[i];
    for (int k = 0; k < 2; k++) gathered.inner.squares[k] = x[k] * gathered.sum;
    return gathered.inner.squares[0] * gathered.inner.squares[1];
}

typedef struct {
    vec centre;
    double weights[2];
} cell;

/* One object is an array of one. */
double f_whole(int n, double *x, int *ia, double *w) {
    cell s, copies[2], *last = &copies[1];
    vec v;
    (void)n, (void)ia;
    memset(&s, 0, sizeof(s));
    memset(copies, 0, sizeof copies);
    s.centre = vec_of(x[0], x[1], w[0]);
    s.weights[1] = x[3];
    memcpy(&v, &s.centre, sizeof v);
    memcpy(last, &s, sizeof(cell));
    s.centre.x = 2.0;
    memcpy(&copies[0].centre, &v, sizeof(vec));
    return copies[0].centre.x * last->centre.y * v.z * s.centre.x + copies[0].centre.z * last->weights[1];
}

static double sum_of_squares(int n, const double *p) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += p[i] * p[i];
    return sum;
}

static void doubled(int n, double *p) {
    for (int i = 0; i < n; i++) p[i] *= 2.0 * p[i];
}

double f_array_of_one(int n, double *x, int *ia, double *w) {
    double one = x[0] * x[1];
    vec v = {x[2], w[0], 1.0}, *last = &v;
    (void)n;
    doubled(ia[0], &one);
    for (int i = 0; i < ia[0]; i++) last[i].y *= last[i].x * one;
    return sum_of_squares(ia[0], &one) * v.y;
}

typedef struct {
    int rows, columns;
    double *data;
} matrix;

static double *at(const matrix *m, int i, int j) {
    return &m->data[i * m->columns + j];
}

static vec *picked(vec *all, int k) {
    return all + k;
}

double f_returned(int n, double *x, int *ia, double *w) {
    matrix m = {2, 2, x};
    vec all[3];
    (void)n;
    for (int k = 0; k < 3; k++) *picked(all, k) = vec_of(x[k], x[k] * w[0], 2.0);
    *at(&m, ia[2], 1) += *at(&m, 0, 1) * picked(all, 2)->y;
    picked(all, 1)->x *= *at(&m, 1, 0);
    return picked(all, 1)->x * *at(&m, ia[2], 1);
}

static double power(double x, int k, int *calls);

/* Both call each other, and an expression calls twice. */
static double product(double x, int k, int *calls) {
    if (calls) *calls += 1;
    if (!(x < 1e300)) errno = ERANGE;
    return k < 2 ? x : power(x, k / 2, 0) * power(x, k - k / 2, 0);
}

static double power(double x, int k, int *calls) {
    return product(x, k, calls) + 0.1 * x;
}

double f_each_other(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    return product(x[0], n, 0) - product(x[1], n, 0) * power(x[2], 3, 0);
}

static vec cross_of(vec a, const vec *b) {
    return vec_of(a.y * b->z - a.z * b->y, a.z * b->x - a.x * b->z, a.x * b->y - a.y * b->x);
}

/* The result goes where a pointer among the arguments leads. */
double f_own(int n, double *x, int *ia, double *w) {
    vec a = {x[0], x[1] * x[1], x[2]}, b = {x[1], 2.0, x[0] * x[3]}, *p = &b, c[2];
    (void)n, (void)ia, (void)w;
    b = cross_of(a, &b);
    b = cross_of(a, p);
    *p = cross_of(*p, &a);
    *p = cross_of(b, p + 0);
    c[0] = a;
    for (int i = 0; i < 2; i++) {
        c[1] = b;
        c[i] = cross_of(c[1 - i], &c[i]);
        b = cross_of(c[i], &c[1 - i]);
    }
    return b.x * b.y + b.z * c[1].x;
}

/* What a call gives replaces an element that the adjoint still needs. */
double f_replaced(int n, double *x, int *ia, double *w) {
    (void)ia;
    vec all[2] = {{x[0], x[1], x[2]}, {1, x[3], 2}};
    double s = 1;
    for (int i = 0; i < 2 * n; i++) {
        s += all[i % 2].x * all[(i + 1) % 2].y * w[i];
        all[i % 2] = vec_of(s, x[i % n], 1);
    }
    return s;
}

/* Each byte of an integer gets the value. */
double f_bytes(int n, double *x, int *ia, double *w) {
    int first[6];
    short second[4];
    unsigned char seen[8];
    double s = 0.0;
    memset(first, 0xff, sizeof first);
    memset(second, 1, sizeof second);
    memset(seen, 2, sizeof seen);
    for (int i = 0; i < 4; i++) first[ia[i] % 6] = i;
    for (int i = 0; i < 6; i++) {
        if (first[i] < 0) {
            s += x[i] * x[i];
        } else {
            s += w[first[i]] * x[i] * seen[i];
            seen[i]--;
        }
        s *= 1.0 + 1e-3 * second[i % 4];
    }
    return s * x[n % 5] * seen[0];
}

static void scaled_by(const int *by, double *c, const double *w) {
    *c *= w[*by];
}

/* An offset goes down by an integer in memory, which each pass overwrites. */
double f_offsets(int n, double *x, int *ia, double *w);
double f_offsets(int n, double *x, int *ia, double *w) {
    double c = x[0];
    int at = n, by;
    for (int k = 0; k < 3; k++) {
        by = ia[k];
        at -= by;
        scaled_by(&by, &c, &w[at]);
        c = c * x[at];
    }
    return c;
}
