/* Unions that give the elements of an array names. */
#include <math.h>

typedef union {
    double at[3];
    struct {
        double x, y, z;
    } axis;
} vector;

typedef union {
    struct {
        double re, im;
    };
    double part[2];
    struct {
        double u, v;
    };
} pair;

union box {
    double all[4];
    struct {
        vector low;
        double more;
    } parts;
    struct {
        double first[2];
        double last[2];
    } rows;
};

static vector cross(const vector a, const vector b) {
    vector c;
    c.axis.x = a.axis.y * b.axis.z - a.axis.z * b.axis.y;
    c.axis.y = a.axis.z * b.axis.x - a.axis.x * b.axis.z;
    c.axis.z = a.axis.x * b.axis.y - a.axis.y * b.axis.x;
    return c;
}

double f_cross(int n, double *x, int *ia, double *w) {
    vector a = {.axis = {x[0], x[1], x[2]}}, b = {{w[0], w[1], w[2]}};
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        a = cross(a, b);
        a.at[i % 3] += a.axis.z * a.axis.z;
        b.axis.y = sin(b.at[1]) + x[i];
        s += a.axis.x * b.at[ia[0]];
    }
    return s;
}

static void square(pair *p, int times) {
    for (int i = 0; i < times; i++) {
        double re = p->re * p->re - p->im * p->im;
        p->part[1] = 2.0 * p->u * p->v;
        p->re = re;
    }
}

double f_square(int n, double *x, int *ia, double *w) {
    pair all[3] = {{{x[0], x[1]}}, {.part = {w[0], w[1]}}};
    all[2] = all[ia[0]];
    all[2].v += x[2];
    for (int i = 0; i < 3; i++) {
        square(&all[i], n / 2);
    }
    return all[0].re * all[1].part[1] + all[2].u;
}

double f_box(int n, double *x, int *ia, double *w) {
    union box box = {{x[0], x[1], x[2], x[3]}};
    double s = w[0] * ia[0];
    for (int i = 0; i < n; i++) {
        box.rows.first[i % 2] *= box.parts.more + box.rows.last[ia[i] % 2];
        box.parts.low.axis.z = exp(-box.all[0]);
        s += box.all[i] * box.parts.low.at[1];
    }
    return s;
}

/* One number with two names. */
struct boundary {
    union {
        double head, flux;
    };
    union {
        float low;
        float high;
    } limit;
    int kind;
};

static double across(const struct boundary *b, double u) {
    return b->kind ? b->flux : (b->head - u) * b->limit.low;
}

double f_two_names(int n, double *x, int *ia, double *w);
double f_two_names(int n, double *x, int *ia, double *w) {
    struct boundary sides[2] = {{{x[0] * x[1]}, {0.5f}, 0}, {{x[2]}, {1.5f}, 1}};
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        sides[0].head += 0.1 * x[i] * sides[1].flux;
        sides[i % 2].limit.high = (float)(0.25 * x[i]);
        s += across(&sides[i % 2], x[3]);
    }
    return s;
}
