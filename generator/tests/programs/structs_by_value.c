/* Structs that are passed and returned by value. */
#include <math.h>

struct pair {
    double x, y;
};

struct rows {
    double a[2][3];
    int k;
    double *p;
};

struct mixed {
    struct pair c[2];
    float z;
    int n;
};

static double dot(struct pair a, struct pair b) { return a.x * b.x + a.y * b.y; }

static struct pair times(struct pair a, double k) {
    struct pair r = {a.x * k, a.y * a.x};
    return r;
}

static struct pair one(void) {
    struct pair r = {1, 1};
    return r;
}

static void square(struct pair *p) { p->x = p->x * p->x; }

static struct mixed make(struct rows s, struct pair w, double z) {
    struct mixed r = {{{0, 0}, {1, 1}}, 2, 3};
    for (int i = 0; i < 3; i++) {
        r.c[i % 2].x += s.a[1][i] * s.p[i] * w.x + z;
        s.a[0][i] = sin(s.a[1][i] * r.c[0].x);
        w.x *= s.a[0][i];
    }
    r.c[1].y = w.y * s.a[0][1];
    return r;
}

/* One struct is passed twice. */
double passed(int n, double *x) {
    double s = 0;
    for (int i = 0; i + 1 < n; i++) {
        struct pair a = {x[i], x[i + 1] * s};
        s += dot(a, a) * s + x[i];
    }
    return s;
}

/* An element is passed, and another one is overwritten by what comes back. */
double returned(int n, double *x) {
    struct pair all[4] = {{x[2], 0}, {x[0], x[1]}};
    for (int i = 0; i < n; i++) {
        int k = i % 4;
        all[k] = times(all[(k + 1) % 4], x[i] + all[k].x);
    }
    return all[0].x * all[1].y;
}

/* What comes back depends on nothing, but its place has an adjoint. */
double overwritten(double *x) {
    struct pair s = {x[0], x[1]};
    square(&s);
    double t = s.x;
    s = one();
    square(&s);
    return t + s.x * x[0];
}

/* Arrays and a pointer in structs; the callee changes its copies. */
double changed(int n, double *x) {
    struct rows s = {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}, 3, x};
    struct pair w = {x[6], x[7]};
    double t = 0;
    for (int i = 0; i < n; i++) {
        struct mixed b = make(s, w, t * x[1]);
        w = b.c[i % 2];
        s.a[1][i % 3] = sin(b.c[0].x);
        t += b.c[0].x * b.c[1].y * b.z;
    }
    return t;
}

/* What comes back replaces elements that the adjoint still needs. */
double replaced(int n, double *x) {
    struct pair all[2] = {{x[0], x[1]}, {x[1], x[2]}};
    double s = 1;
    for (int i = 0; i < n; i++) {
        s += all[i % 2].x * all[(i + 1) % 2].y;
        struct pair a = {x[i], s};
        all[i % 2] = times(a, s);
    }
    return s;
}

/* Nothing reads the copy. */
double unread(int n, double *x, struct pair w) {
    w.y = 0.5;
    return x[n - 1] * x[n - 1];
}

struct tagged {
    double *p, v;
};

/* The copy's pointer leads nowhere that is read. */
double square_of(struct tagged s) {
    s.v = s.v * s.v;
    return s.v;
}

struct row {
    int at[3];
    double v;
};

/* Nothing reads `unread`. */
static double filled(struct row r, int k, double x) {
    struct row first = {{1, 1, 0}, 1};
    for (int i = 0; i >= 0; i--) {
        r = first;
        struct row unread = r;
        r.at[k] = 0;
    }
    return x;
}

double copied_for_nobody(const double *x, int k) {
    struct row r = {{0}, 0};
    return filled(r, k, x[0]);
}
