/* What a pass hands on to the next one: pointers that its index finds, structs that loops and branches set. */
#include <math.h>
#include <stdlib.h>

struct layer {
    int in, out;
    const double *weights;
    double *values;
};

static double *forward(struct layer *l, const double *in) {
    for (int o = 0; o < l->out; o++) {
        double sum = 0.1;
        for (int i = 0; i < l->in; i++) sum += l->weights[(o + i) % 4] * in[i];
        l->values[o] = tanh(sum);
    }
    return l->values;
}

/* The caller's array first, then what the layer before has computed. */
double f_layers(int n, double *x, int *ia, double *w) {
    double a[4], b[3], c[2];
    struct layer net[3] = {{n, 4, w, a}, {4, 3, w + 1, b}, {3, 2, x, c}};
    const double *h = x;
    (void)ia;
    for (int i = 0; i < 3; i++) h = forward(&net[i], h);
    return h[0] * h[1];
}

/* An index that counts down by twos; the pointer is of use behind the loop only if there was a pass. */
double f_down(int n, double *x, int *ia, double *w) {
    double rows[6][4] = {{0.0}}, sum = 0.0;
    const double *before = w;
    for (long i = n; i > 0; i -= 2) {
        for (int k = 0; k < n; k++) rows[i][k] = before[k] * x[k] + sin(x[ia[1]]);
        before = rows[i];
    }
    for (int k = 0; k < n; k++) sum += before[k] * x[k];
    return sum;
}

struct vec {
    int n;
    double *d;
};

static struct vec made(int n) {
    struct vec v = {n, malloc((size_t)n * sizeof(double))};
    if (!v.d) v.n = 0;
    return v;
}

static struct vec moved(struct vec a, struct vec b, double s) {
    struct vec c = made(a.n);
    for (int i = 0; i < a.n; i++) c.d[i] = a.d[i] + s * b.d[i];
    return c;
}

static struct vec slope(struct vec u) {
    struct vec r = made(u.n);
    for (int i = 0; i < u.n; i++) r.d[i] = sin(u.d[(i + 1) % u.n]) - u.d[i] * u.d[i];
    return r;
}

/* Each pass makes a struct with a block, and frees the one before. */
double f_steps(int n, double *x, int *ia, double *w) {
    struct vec u = made(n);
    double sum = 0.0;
    for (int i = 0; i < n; i++) u.d[i] = x[i];
    for (int t = 0; t < 3; t++) {
        struct vec k = slope(u), v = moved(u, k, 0.1 * w[t]);
        free(u.d);
        free(k.d);
        u = v;
    }
    for (int i = 0; i < u.n; i++) sum += u.d[i] * x[ia[0]];
    free(u.d);
    return sum;
}

/* A branch decides which of two structs goes on. */
double f_either(int n, double *x, int *ia, double *w) {
    struct vec u = made(n), v = made(2), s = u;
    (void)ia;
    for (int i = 0; i < n; i++) u.d[i] = x[i] * w[i];
    for (int i = 0; i < 2; i++) v.d[i] = x[i] * x[i + 1];
    if (x[0] > x[1]) s = v;
    double sum = s.d[0] * s.d[s.n - 1];
    free(u.d);
    free(v.d);
    return sum;
}

struct point {
    double x, y, z;
};

static void cross(struct point *c, struct point a, struct point b) {
    c->x = a.y * b.z - a.z * b.y;
    c->y = a.z * b.x - a.x * b.z;
    c->z = a.x * b.y - a.y * b.x;
}

/* Arguments come from the array that the call writes. */
double f_basis(int n, double *x, int *ia, double *w) {
    struct point p[3] = {{0.0, 0.0, 0.0}, {x[0], x[1], x[2]}, {w[0], x[3] * x[0], 1.0}};
    cross(&p[0], p[1], p[2]);
    cross(&p[1], p[2], p[0]);
    cross(&p[ia[2]], p[ia[0]], p[2]);
    return p[0].x * p[1].y + p[2].z * n;
}
