/* Structs that are taken for arrays of their numbers, and unions with rows and structs over one array. */
#include <math.h>
#include <string.h>

typedef struct {
    double x, y, z;
} vector;

struct frame {
    vector origin;
    double axis[2][3];
    vector end;
};

typedef struct {
    vector at;
    int count;
} marked;

typedef union {
    struct {
        double a, b, c, d;
    };
    double all[4];
    double rows[2][2];
    struct {
        vector v;
        double w;
    } parts;
} quaternion;

typedef double real;
typedef struct pair_tag pair_base;
struct pair_tag {
    real first, second;
};
typedef pair_base pair;

double f_named(int n, double *x, int *ia, double *w);
double f_read(int n, double *x, int *ia, double *w);
double f_written(int n, double *x, int *ia, double *w);
double f_nested(int n, double *x, int *ia, double *w);
double f_walked(int n, double *x, int *ia, double *w);
double f_copied(int n, double *x, int *ia, double *w);
double f_initial(int n, double *x, int *ia, double *w);
double f_inside(int n, double *x, int *ia, double *w);
double f_global(int n, double *x, int *ia, double *w);
double f_overlaid(int n, double *x, int *ia, double *w);

static double dot(const double *a, const double *b, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

static vector cross(vector a, vector b) {
    vector c;
    c.x = a.y * b.z - a.z * b.y;
    c.y = a.z * b.x - a.x * b.z;
    c.z = a.x * b.y - a.y * b.x;
    return c;
}

double f_read(int n, double *x, int *ia, double *w) {
    vector a = {x[0], x[1], x[2]}, b;
    (void)n, (void)ia, (void)w;
    b.x = x[1] * x[1];
    b.y = x[3];
    b.z = sin(x[0]);
    vector c = cross(a, b);
    return dot((double *)&a, (const double *)&c, 2) + dot(&b.x, (double *)&b, 3) * a.z;
}

double f_written(int n, double *x, int *ia, double *w) {
    vector at[2];
    double s = 0.0;
    (void)ia, (void)w;
    for (int k = 0; k < 2; k++) {
        double *p = (double *)&at[k];
        for (int i = 0; i < 3; i++) p[i] = x[i] * x[(i + k) % n];
    }
    for (int i = 0; i < n; i++) {
        ((double *)at)[i + 1] *= x[i] + at[0].y;
        at[1].x += at[0].z * ((double *)&at[1])[2];
        s += at[1].x * at[1].z;
    }
    return s;
}

static double size(const struct frame *f) {
    return dot((const double *)f, (const double *)f, 12);
}

double f_nested(int n, double *x, int *ia, double *w) {
    struct frame f = {.origin = {x[0], x[1], x[2]}, .axis = {{1.0}, {x[3], x[3] * x[0]}}};
    (void)ia, (void)w;
    f.end = f.origin;
    f.end.y *= x[2];
    for (int i = 0; i < n; i++) {
        f.axis[i % 2][i % 3] += f.end.x * x[i];
        f.origin.z = f.axis[1][2] * f.axis[0][i % 3];
    }
    vector again = f.end;
    f.origin = cross(f.origin, again);
    return size(&f) + again.y * again.y;
}

double f_walked(int n, double *x, int *ia, double *w) {
    vector at[4];
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        at[i].x = x[i];
        at[i].y = x[i] * x[0];
        at[i].z = cos(x[i]);
    }
    const double *p = (const double *)at;
    for (int i = 0; i < 3 * n; i++, p++) s += *p * *p * at[i / 3].y;
    return s;
}

double f_copied(int n, double *x, int *ia, double *w) {
    vector a, b;
    double back[6];
    (void)n, (void)ia, (void)w;
    memcpy(&a, x, sizeof(a));
    memcpy(&b, &a, sizeof(b));
    b.y *= a.x;
    memcpy(back, &b, sizeof(b));
    memcpy(&back[3], &a, 3 * sizeof(double));
    return back[0] * back[1] + back[2] * back[5] * back[5] + b.y * a.z;
}

double f_initial(int n, double *x, int *ia, double *w) {
    const struct frame f[2] = {{{x[0], 2.0, x[1]}, {{x[2], x[3]}}, {0.5, 0, 0}}, {.end = {x[1], x[1], x[1]}}};
    struct frame g = f[0];
    (void)n, (void)ia, (void)w;
    g.axis[0][1] *= f[1].end.y;
    return size(&g) * f[0].origin.x + size(&f[1]);
}

double f_inside(int n, double *x, int *ia, double *w) {
    marked m = {{x[0], x[1], x[2]}, 2}, k = {.count = 1};
    (void)n, (void)ia, (void)w;
    k.at = m.at;
    k.at.x *= x[3];
    double *p = (double *)&k.at;
    p[k.count] = p[0] * m.at.z;
    return dot((double *)&m.at, p, 3) * m.count;
}

static const vector fixed = {1.0, 2.0, 3.0};

double f_global(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) s += ((const double *)&fixed)[i % 3] * x[i] * x[i] * fixed.y;
    return s;
}

double f_overlaid(int n, double *x, int *ia, double *w) {
    quaternion p, q;
    double s = 0.0;
    (void)n, (void)ia, (void)w;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) q.rows[i][k] = x[2 * i + k] * x[i];
    }
    vector v = q.parts.v;
    v.y *= q.d;
    p.parts.v = v;
    p.parts.w = q.parts.w * q.a;
    p.rows[1][0] += p.rows[0][1];
    for (int i = 0; i < 4; i++) s += p.all[i] * p.all[i] * q.rows[i / 2][1];
    return s * v.z;
}

double f_named(int n, double *x, int *ia, double *w) {
    pair p = {x[0], x[1] * x[2]};
    const real *all = (const real *)&p;
    (void)n, (void)ia, (void)w;
    p.first *= all[1];
    return all[0] * all[0] + p.second;
}

/* Numbers that are below 0 as signed ones, read as unsigned ones, and the other way round. */
static double weights(const unsigned *u, int n, const double *x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += x[u[i] & 3] * x[i] / (double)u[i];
    return s;
}

static void change(unsigned *u) { *u = *u / 2u + 7u; }

double f_sign_read(int n, double *x, int *ia, double *w) {
    const unsigned *u = (const unsigned *)ia;
    (void)n, (void)w;
    ia[0] = -3;
    double high = u[0];
    return x[0] * x[1] * high;
}

double f_sign_written(int n, double *x, int *ia, double *w) {
    unsigned *u = (unsigned *)ia;
    (void)n, (void)w;
    double s = x[0] * x[1] * *u;
    *u = 4294967290u;
    s += x[1] * x[1] * ia[0];
    *u = 3;
    return s * s;
}

double f_sign_in_calls(int n, double *x, int *ia, double *w) {
    (void)w;
    for (int i = 0; i < n; i++) ia[i] = -2 * i - 1;
    double s = weights((const unsigned *)ia, n, x);
    for (int i = 0; i < n; i++) ia[i] = -ia[i];
    return s * s + weights((unsigned *)ia, n, x);
}

double f_sign_of_a_local(int n, double *x, int *ia, double *w) {
    int j = -3;
    (void)n, (void)ia, (void)w;
    double t = x[0] * x[0] * (double)*(unsigned *)&j;
    change((unsigned *)&j);
    return t * x[1] * j;
}

double f_sign_of_rows(int n, double *x, int *ia, double *w) {
    int rows[2][3] = {{-1, -2, -3}, {4, -5, 6}};
    unsigned (*u)[3] = (unsigned (*)[3])rows;
    double s = 0.0;
    (void)n, (void)ia, (void)w;
    for (int i = 0; i < 2; i++) s += x[u[i][1] & 3] * x[i] * (double)u[i][2];
    rows[0][2] = -5;
    return s * x[2];
}

double f_sign_of_bytes(int n, double *x, int *ia, double *w) {
    signed char small[3] = {-1, 2, -128};
    const unsigned char *u = (const unsigned char *)small;
    double s = 0.0;
    (void)n, (void)ia, (void)w;
    for (int i = 0; i < 3; i++) s += x[u[i] % 4] * x[u[i] % 3] * u[i];
    return s;
}
