/* Locals that a translator from Fortran declared static: each call assigns them before it reads them. */
#include <stdio.h>

static double dot(const int *n, double *x, double *w) {
    static int i, m;
    static double sum;
    --x;
    --w;
    sum = 0.;
    if (*n <= 0) return 0.;
    m = *n % 3;
    if (m == 0) goto rest;
    for (i = 1; i <= m; ++i) sum += x[i] * w[i];
    if (*n < 3) goto done;
rest:
    for (i = m + 1; i <= *n; i += 3) sum += x[i] * w[i] + x[i + 1] * w[i + 1] + x[i + 2] * w[i + 2];
done:
    return sum;
}

/* The call reads what the assignment reads, too, and writes only variables of its own. */
double f_forward(int n, double *x, int *ia, double *w) {
    static int j, k;
    (void)ia;
    for (j = 1; j < n; ++j) {
        k = j;
        x[j] -= dot(&k, x, w) * dot(&n, w, x) / 7.;
    }
    return x[n - 1] * x[0];
}

double f_chosen(int n, double *x, int *ia, double *w) {
    static double a, b;
    switch (ia[0]) {
    case 0: a = x[0]; break;
    case 1: a = x[1] * x[1];
    /* falls through */
    default: b = w[0]; a = b * x[n - 1];
    }
    b = a > 0.5 ? a * w[1] : x[2];
    return a * b;
}

/* Constants of two functions under one name: the sweeps know their values alone. */
static double root(double x, int *passes) {
    static const int MOST = 100;
    double y = x;
    int i;
    for (i = 0; i < MOST; i++) {
        double before = y;
        y = 0.5 * (y + x / y);
        if (y == before) break;
    }
    if (i >= MOST) *passes += 4;
    return y;
}

double f_limit(int n, double *x, int *ia, double *w) {
    static const int MOST = 2;
    double s = 0.0;
    (void)w;
    for (int i = 0; i < n; i++) s += root(x[i] * x[i] + 1.0, ia);
    if (n > MOST) s *= 2.0;
    return s * ia[0];
}

/* Static work arrays that each call fills before it reads them. */
static double filtered(const double *x, int n) {
    static double work[8];
    static int order[8];
    double sum = 0.0;
    for (int i = 0; i < n; i++) order[i] = (i + n) % 4;
    for (int i = 0; i < n; i++) work[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) sum += work[i] * work[n - 1 - i] * order[i];
    return sum;
}

double f_work(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = filtered(x, n);
    return s + filtered(w, 3);
}

/* What a text keeps from call to call reaches no number. */
static const char *text(double x) {
    static char buffer[32];
    snprintf(buffer, sizeof buffer, "%g", x);
    return buffer;
}

double f_text(int n, double *x, int *ia, double *w) {
    double sum = 0.0;
    (void)ia;
    (void)w;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0.0) fprintf(stderr, "x = %s\n", text(x[i]));
        sum += x[i] * x[i];
    }
    return sum;
}

/* A function that gives its own table. */
static const double *weights(int which) {
    static const double even[3] = {0.5, 1.5, 2.5}, odd[3] = {1.25, -0.5, 0.75};
    return which & 1 ? odd : even;
}

double f_given(int n, double *x, int *ia, double *w) {
    double s = 1.0;
    (void)w;
    for (int i = 0; i < n; i++) {
        const double *table = weights(ia[i]);
        for (int k = 0; k < 3; k++) s += table[k] * x[i] * s;
        ia[i] += 1;
    }
    return s;
}

/* A table that the first call fills, and what the machine has, which a second run would find again. */
static double machine(void) {
    static double eps = -1.0;
    if (eps < 0.0) {
        eps = 1.0;
        while (1.0 + 0.5 * eps > 1.0) eps *= 0.5;
    }
    return eps;
}

static double weighted(int n, const double *x) {
    static int first = 1;
    static double table[4], sum;
    int i;
    double s = 0.0;
    if (n < 1) return 0.0;
    if (first) {
        sum = 0.0;
        for (i = 0; i < 4; i++) {
            table[i] = i > 0 ? 0.5 * table[i - 1] + i : 1.0;
            sum += table[i];
        }
        first = 0;
    }
    for (i = 0; i < n; i++) s += table[i % 4] / sum * x[i] * x[i];
    return s;
}

double f_filled(int n, double *x, int *ia, double *w) {
    (void)ia;
    (void)w;
    double s = weighted(n, x);
    double eps = machine();
    s *= x[0] > eps ? x[1] : 1.0;
    return s * weighted(n - 1, x);
}

/* The sign of a gamma function: its own calls leave one, too. */
static int sign;

static double gamma_like(double v) {
    sign = 1;
    if (v < 0.8) {
        double other = gamma_like(1.7 - v);
        sign = -sign;
        return sign * v / other;
    }
    return sign * v * v;
}

double f_sign(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia;
    (void)w;
    for (int i = 1; i < n; i++) s += gamma_like(x[i]) / (gamma_like(x[i - 1]) + gamma_like(x[i]) * 3.0);
    return s;
}

/* A constant in a variable that nothing writes, as translators from Fortran have them. */
static int c_4 = 4;

static double reciprocal(int k) {
    static int first = 1;
    static double table[4];
    int i;
    if (first) {
        first = 0;
        for (i = 0; i < c_4; i++) table[i] = 1.0 / (i + c_4);
    }
    return table[k];
}

double f_constant(int n, double *x, int *ia, double *w) {
    for (int i = 0; i < n; i++) x[i] *= x[i] * dot(&c_4, x, w) * reciprocal(ia[i % 3] % 4);
    return x[0] * x[n - 1];
}

/* The function that calls itself is read twice; what it calls, once. */
static double table_times(double v) {
    static const double table[2] = {0.5, 1.5};
    return v * v * table[v > 1.0];
}

static double halved(double v) {
    static double r;
    const double table_times_table = 3.0;
    r = v;
    if (r > 1.0) return halved(0.5 * v) * v;
    return table_times(v) * r * table_times_table;
}

double f_recursive(int n, double *x, int *ia, double *w) {
    static const double scale[2] = {2.0, 3.0};
    double recursive_scale = x[0], s = 0.0;
    (void)w;
    for (int i = 0; i < n; i++) s += halved(x[i]) * scale[ia[i] & 1] * recursive_scale;
    return s;
}
