/* Pointers into local memory that are exchanged, or walk over it. */
#include <math.h>
#include <stdlib.h>

double f_scalars(int n, double *x, int *ia, double *w) {
    double a = 1.0, b = x[0], *p = &a, *q = &b;
    for (int i = 0; i < n; i++) {
        *p = *p * x[i] + *q * w[0];
        if (ia[i % 3] != 1) {
            double *t = p;
            p = q;
            q = t;
        }
        *q += 0.1 * *p * *p;
    }
    return a * b;
}

struct point {
    double v, w;
};

double f_points(int n, double *x, int *ia, double *w) {
    struct point both[2] = {{x[0], w[0]}, {x[1], w[1]}}, *now = &both[0], *next = &both[1];
    (void)ia;
    for (int i = 0; i < n; i++) {
        next->v = now->v * x[i] + now->w;
        next->w = sin(now->w) * next->v;
        struct point *t = now;
        now = next;
        next = t;
    }
    return now->v + next->w;
}

double f_marching(int n, double *x, int *ia, double *w) {
    double stack[10], *top = stack, s = 0.5;
    for (int i = 0; i < n; i++) {
        *top++ = x[i] * x[i];
        if (ia[i % 3] > 1) *top++ = w[0] * x[i];
    }
    while (top > stack) {
        --top;
        s = s * *top + *top;
    }
    return s;
}

/* What the pointers are behind the loop goes on the tape before the blocks are freed. */
double f_buffers(int n, double *x, int *ia, double *w) {
    double *u = malloc((size_t)n * sizeof *u), *v = malloc((size_t)n * sizeof *v), s = 0.0;
    if (!u || !v) abort();
    for (int i = 0; i < n; i++) {
        u[i] = x[i];
        v[i] = 0.0;
    }
    for (int k = 0; k < 2 + ia[0]; k++) {
        for (int i = 0; i < n; i++) {
            v[i] = u[i] * u[(i + 1) % n] * 0.5 + w[0];
        }
        double *t = u;
        u = v;
        v = t;
    }
    for (int i = 0; i < n; i++) {
        s += u[i] * v[i];
    }
    free(u);
    free(v);
    return s;
}

/* The blocks change places, and a path of its own frees them. */
double f_freed_twice(int n, double *x, int *ia, double *w) {
    double *u = calloc((size_t)n, sizeof(double)), *v = calloc((size_t)n, sizeof(double)), s = 1.0;
    for (int i = 0; i < n; i++) {
        u[i] = x[i] * w[0];
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) {
            v[i] += u[i] * x[i];
            s *= v[i] * v[i] + 0.5;
        }
        if (s > 50.0 || ia[k] == 2) {
            free(v);
            free(u);
            return s;
        }
        double *t = u;
        u = v;
        v = t;
    }
    s += u[0] * v[n - 1];
    free(u);
    free(v);
    return s;
}

/* One of the two has no derivative. */
double f_passive(int n, double *x, int *ia, double *w) {
    double t[5], s = 0.0;
    for (int i = 0; i < 5; i++) {
        t[i] = sin(0.5 * i);
    }
    double *p = x, *q = t;
    for (int k = 0; k < ia[2]; k++) {
        for (int i = 1; i < 4; i++) {
            q[i] = 0.25 * i * w[i];
        }
        double *other = p;
        p = q;
        q = other;
    }
    for (int i = 0; i < n; i++) {
        s += x[i] * x[i] * t[1];
    }
    return s;
}

static const double table[3][2] = {{1.0, 2.0}, {0.5, 0.25}, {1.5, 0.75}};

/* A pointer to constants, and a number of a base that nothing asks for. */
double f_tables(int n, double *x, int *ia, double *w) {
    double a = x[0], b = x[1], t[8], s = 0.0, *p = &a, *q = t;
    const double *c = table[0];
    for (int i = 0; i < 8; i++) {
        t[i] = x[i % n] * w[0];
    }
    for (int i = 0; i < n; i++) {
        double inner[2] = {x[i], w[i]}, *r = i % 2 ? inner : q;
        if (ia[i % 3] == 0) {
            p = &b;
            c = table[1];
        } else if (ia[i % 3] == 1) {
            p = &a;
            c = table[2];
        }
        r[1] = r[0] * x[i];
        *p += c[i % 2] * r[1];
        q = t + i * 3 % 6;
        *q += *p * 0.1;
        s += r[1];
    }
    return a * b * *c + s * *q;
}

static double *found(double *a, int n, double bound) {
    for (int i = 0; i < n; i++) {
        if (a[i] > bound) return &a[i];
    }
    return NULL;
}

/* What a search finds in an array of this function: its tangents lie at the same offset. */
double f_found(int n, double *x, int *ia, double *w) {
    double a[8], s = 0.0;
    (void)ia;
    for (int i = 0; i < n; i++) a[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) {
        double *p = found(a, n, w[i]);
        if (p) {
            *p *= 0.5 * x[i];
            s += *p * x[i];
        }
        if (!found(a, n, 100.0)) s += a[0];
    }
    return s * a[1];
}

/* Rows of an argument that change places, and pointers into it that a loop sets and moves. */
double f_rows(int n, double *x, int *ia, double *w) {
    const double *row[4], *q;
    double s = 0.0, t = 1.0;
    (void)ia;
    for (int i = 0; i < 4; i++) row[i] = x + 2 * i;
    for (int k = 0; k < n; k++) {
        int p = k % 3;
        if (row[p][0] * w[k] < row[p + 1][1]) q = row[p], row[p] = row[p + 1], row[p + 1] = q;
        s += row[p][1];
        t *= row[p + 1][0] + s;
        if (row[p] > x) row[p]--;
    }
    return s * t;
}

/* Elimination that exchanges rows of an array of its caller, and of one of its own. */
static double determinant(double a[3][3]) {
    double *row[3], d = 1.0;
    for (int i = 0; i < 3; i++) row[i] = a[i];
    for (int k = 0; k < 3; k++) {
        int p = k;
        for (int i = k + 1; i < 3; i++) {
            if (row[i][k] * row[i][k] > row[p][k] * row[p][k]) p = i;
        }
        if (p != k) {
            double *t = row[k];
            row[k] = row[p];
            row[p] = t;
            d = -d;
        }
        d *= row[k][k];
        for (int i = k + 1; i < 3; i++) {
            double m = row[i][k] / row[k][k];
            for (int j = k; j < 3; j++) row[i][j] -= m * row[k][j];
        }
    }
    return d;
}

double f_determinant(int n, double *x, int *ia, double *w) {
    double a[3][3];
    (void)n, (void)ia, (void)w;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) a[i][j] = x[(3 * i + 2 * j) % 8] + 2.0 * (i == (j + 1) % 3);
    }
    return determinant(a);
}

/* Layers whose parameters lie in one array, one behind the other. */
struct layer { int in; const double *weights, *bias; };

double f_layers(int n, double *x, int *ia, double *w) {
    struct layer layers[3];
    const double *p = x;
    double h[2] = {1.0, 0.5};
    (void)n, (void)ia, (void)w;
    for (int k = 0; k < 2; k++) {
        layers[k].in = 2;
        layers[k].weights = p;
        p += layers[k].in;
        layers[k].bias = p++;
    }
    for (int k = 0; k < 2; k++) {
        double s = *layers[k].bias;
        for (int j = 0; j < layers[k].in; j++) s += layers[k].weights[j] * h[j];
        h[0] = s * s;
        h[1] = 0.5 * s;
    }
    return h[0] * h[1];
}

/* Arrays of two and of three dimensions, by pointers to their rows. */
double f_planes(int n, double *x, int *ia, double *w) {
    double a[4][3], b[4][3], (*now)[3] = a, (*next)[3] = b;
    for (int i = 0; i < 4; i++)
        for (int q = 0; q < 3; q++) now[i][q] = 0.1 * x[i % n] * (q + 1);
    for (int t = 0; t < n; t++) {
        for (int i = 0; i < 4; i++)
            for (int q = 0; q < 3; q++) next[(i + 1) % 4][q] = now[i][q] * now[i][0] + 0.1 * w[0];
        if (ia[t % 3] == 2) continue;
        double(*t_)[3] = now;
        now = next;
        next = t_;
    }
    return now[0][1] * now[1][2] + next[3][0];
}

double f_cubes(int n, double *x, int *ia, double *w) {
    double a[2][2][2], b[2][2][2], (*now)[2][2] = a, (*next)[2][2] = b, (*row)[2] = a[0], s = 0.0;
    (void)ia;
    for (int i = 0; i < 8; i++) a[i / 4][i / 2 % 2][i % 2] = x[i % n];
    for (int t = 0; t < 2; t++) {
        s += row[0][1] * row[1][0];
        row[0][1] = s * w[0];
        row = a[1];
    }
    for (int t = 0; t < n; t++) {
        for (int i = 0; i < 8; i++) next[i / 4][i / 2 % 2][i % 2] = now[i % 2][i / 4][i / 2 % 2] * x[t] + s;
        double(*t_)[2][2] = now;
        now = next;
        next = t_;
    }
    return now[0][1][0] * now[1][1][1];
}
