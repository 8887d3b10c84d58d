/* Small functions with structs: they are written where they are called, but for the one that calls itself. */
#include <math.h>

struct pair {
    double x, y;
};

static double inner(struct pair a, struct pair b) { return a.x * b.x + 0.5 * a.y * b.y; }

static struct pair scaled(struct pair a, double k) { return (struct pair){k * a.x, k * a.x * a.y}; }

static struct pair limited(struct pair a, double most) {
    double size = sqrt(inner(a, a));
    if (size < 1e-9) return (struct pair){1.0, 1.0};
    if (size > most) {
        a.x *= most / size;
        a.y *= most / size;
    }
    return a;
}

static struct pair halved(struct pair a, int times_left) { return times_left > 0 ? halved(scaled(a, 0.5), times_left - 1) : a; }

struct body {
    struct pair at, speed;
    float mass;
    int kind;
};

static struct body moved(struct body b, struct pair force, double h) {
    if (b.kind == 1) return b;
    b.speed.x += h * force.x / b.mass;
    b.speed.y += h * force.y / b.mass;
    b.at.x += h * b.speed.x;
    b.at.y += h * b.speed.y;
    b.mass *= 0.99f;
    return b;
}

double f_small_functions(int n, double *x, int *ia, double *w);
double f_small_functions(int n, double *x, int *ia, double *w) {
    (void)w;
    struct body all[3];
    double s = 0.0;
    for (int i = 0; i < 3; i++) all[i] = (struct body){{x[i], x[i + 1]}, {0.1 * x[i + 2], 0.2}, (float)x[i + 3], ia[i]};
    for (int t = 0; t < n; t++) {
        /* Forces of the last one. */
        struct pair force = limited(scaled(all[2].at, -1.0), 0.7), a = force;
        for (int i = 0; i < 3; i++) all[i] = moved(all[i], limited(force, 0.3 + 0.1 * i), 0.1);
        s += inner(halved(a, t), all[t % 3].at);
        *x += 0.01 * moved(all[0], force, s).speed.y;
    }
    return s + all[0].mass;
}

/* A struct with an array is passed as it is, and with it a pointer that the callee's reverse sweep follows. */
struct view {
    double v[3];
    int tag;
    const double *p;
};

static struct view seen(double a, double b, const double *p) {
    struct view s = {{a, b, a * b}, 2, p};
    s.v[s.tag] += a - b;
    return s;
}

static double used(struct view s) {
    s.v[0] *= s.v[1];
    return s.v[0] + s.v[s.tag] * s.p[1];
}

double f_views_that_change_places(int n, double *x, int *ia, double *w);
double f_views_that_change_places(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    struct view all[3];
    double s = 0.0;
    for (int i = 0; i < 3; i++) all[i] = seen(x[i], x[i + 1], x + i);
    struct view t = all[0];
    all[0] = all[2];
    all[2] = t;
    for (int i = 0; i < n; i++) {
        double y = used(all[i % 3]);
        all[i % 3].v[i % 2] = y * 0.1;
        s += y;
    }
    return s;
}
