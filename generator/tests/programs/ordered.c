/* Effects that C orders: by commas, by `&&` and by `?:`; and some whose order nobody sees. */
#include <math.h>
#include <stdio.h>

static int term(double x, int k, double *a, double *b) {
    *a = x * x + k;
    *b = x * *a;
    return *a > 1.5;
}

#define ADD(to, factor, at, k) (term(x[at], (k), &a, &b), ((to) += (factor) * b))

double f_comma(int n, double *x, int *ia, double *w) {
    double a, b, sum = 0.0, v[2] = {0.0, 1.0};
    (void)ia;
    ADD(sum, 2.0, 0, 1);
    ADD(v[0], w[1], 1, 2);
    v[1] = (term(v[0], 1, &a, &b), a * b);
    return sum * v[0] + v[1] * x[n - 1];
}

double f_conditions(int n, double *x, int *ia, double *w) {
    double a = 0.0, b = 1.0, sum = 0.0;
    (void)w;
    for (int i = 0; i < n; i++) {
        if (term(x[i], ia[i], &a, &b) && term(a * x[i], 1, &b, &a)) sum += a * b;
        sum += term(b, 2, &a, &b) ? (b *= x[i]) : (a *= x[i]);
    }
    return sum + a;
}

double f_declarators(int n, double *x, int *ia, double *w) {
    double a = 0.5, b, sum = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        double c = term(x[i], 1, &a, &b), d = term(a * b, 2, &b, &a), e = a * b + c;
        sum += d * e + a;
    }
    return sum;
}

/* Both calls assign the sign and may assign the code of an error, and nobody reads what a call has left there. */
int f_sign = 0, last_error = 0;
static void report(const char *where, int code) {
    printf("%s\n", where);
    last_error = code + 1;
}
static double signed_square(double x) {
    f_sign = 1;
    if (x < 0.0) f_sign = -1;
    if (x > 1e6) report("signed_square", 3);
    return f_sign * x * x;
}
double f_signs(int n, double *x, int *ia, double *w) {
    (void)n; (void)ia; (void)w;
    return signed_square(x[0]) * signed_square(x[1]) / signed_square(x[2] - x[0]);
}

/* Each call leaves its error in a variable of its own. */
static double integral(double a, double b, double from, double to, double *error) {
    double width = to - from, middle = a * exp(-b * (from + to) * 0.5);
    *error = width * width * middle;
    return width * middle + a * *error;
}
double f_errors(int n, double *x, int *ia, double *w) {
    double left, right, errors[2];
    (void)n; (void)ia; (void)w;
    double sum = integral(x[0], x[1], 0.0, 0.5, &left) + integral(x[0], x[2], 0.5, x[3], &right);
    sum *= integral(x[1], x[0], 0.0, left, &errors[0]) - right * x[0];
    return sum + errors[0];
}

struct map {
    int used;
    int keys[8];
    double values[8];
};

static double *at(struct map *m, int key) {
    for (int i = 0; i < m->used; i++) {
        if (m->keys[i] == key) return &m->values[i];
    }
    m->keys[m->used] = key;
    m->values[m->used] = 0.0;
    return &m->values[m->used++];
}

/* No parameter leads to a local variable, so the call changes nothing that the other operand reads. */
double f_element_of_a_map(int n, double *x, int *ia, double *w) {
    struct map map = {0};
    double s = 0.0;
    for (int i = 0; i < n; i++) *at(&map, ia[i]) += x[i] * w[i];
    for (int i = 0; i < n; i++) s += *at(&map, ia[i]) * x[i];
    return s * map.values[1];
}

/* A call and what it does not change: another member, another argument, a variable whose address nobody has. */
struct chain {
    double now, before;
    int steps;
};

static double moved(struct chain *c, double by) {
    static int calls;
    calls = 2;
    c->now += by * calls;
    c->steps++;
    return c->now * c->now;
}

double f_beside(int n, double *x, int *ia, double *w) {
    struct chain c = {x[0], x[1], 0};
    double sum = c.before * moved(&c, x[2]);
    for (int i = 0; i < n; i++) sum += w[i] * moved(&c, x[i]) * x[i] + ia[i];
    return sum * c.steps;
}

/* Both calls may be the first one, which fills a table. */
static double rounded(double x) {
    static double table[4], last;
    static int filled;
    if (!filled) {
        for (int i = 0; i < 4; i++) table[i] = 1.0 / (i + 1.0);
        last = 0.25;
        filled = 1;
    }
    return x * table[1] + x * x * last;
}

double f_filled(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia;
    return rounded(x[0]) - rounded(x[1] * w[0]) * rounded(x[2]);
}

/* The constants of a machine, from a function that reports what it does not know. */
static double machine(int which) {
    if (which < 1) {
        fprintf(stderr, "machine: %d\n", which);
        return 0.0;
    }
    return which == 1 ? 1e-300 : 1e-16;
}

static int terms(const double *c, int count, double small) {
    double sum = 0.0;
    for (int i = count; i-- > 0;) {
        sum += fabs(c[i]);
        if (sum > small) return i + 1;
    }
    return 0;
}

static double series(double x) {
    static double c[4] = {1.0, 0.3, 0.01, 1e-20};
    static int count = 0;
    static double small = 0.0, loss = 0.0;
    if (count == 0) {
        count = terms(c, 4, 0.1 * machine(2));
        small = sqrt(machine(1));
        loss = sqrt(machine(2));
    }
    if (fabs(x - 1.0) < loss) fprintf(stderr, "series: half of the digits are lost\n");
    double sum = small;
    for (int i = count; i-- > 0;) sum = sum * x + c[i];
    return sum;
}

/* Both calls leave a status, which nobody reads. */
static double root(double x, int *status) {
    *status = 1;
    if (x < 0.0) return 0.0;
    *status = 0;
    return sqrt(series(x));
}

double f_status(int n, double *x, int *ia, double *w) {
    int status;
    (void)n, (void)ia;
    return root(x[0] * w[1], &status) - root(x[1], &status) * x[2];
}

static int meets(double x, double y, double *at, double *along) {
    double d = x - y;
    if (d > -1e-9 && d < 1e-9) return 0;
    if (at) *at = x * y / d;
    if (along) *along = 0.5 * x * d;
    return 1;
}

/* What stands behind `&&`, `||` and `?` comes later, whatever operand reads it there. */
double f_behind_a_test(int n, double *x, int *ia, double *w) {
    double sum = 0.0, at, along;
    (void)ia;
    for (int i = 0; i + 1 < n; i++) {
        if (meets(x[i], w[i], &at, &along) && (-9.0 <= at) && (-9.0 <= along) && (along <= 9.0)) sum += at * along;
        if (!meets(x[i + 1], w[i], &at, NULL) || 1.0 > at) sum += x[i] * at;
        int k = meets(w[i], x[i], &at, &along) ? 0.0 < at : 2;
        sum += k * at;
    }
    return sum;
}

static double drawn(double x, int *calls) {
    ++*calls;
    return x > 0.9 ? 0.0 : x * x;
}

/* `a ?: b` of GNU C evaluates `a` once. */
double f_itself_or(int n, double *x, int *ia, double *w) {
    double sum = 0.0;
    int calls = 0;
    for (int i = 0; i < n; i++) {
        double value = drawn(x[i], &calls) ?: w[i] * x[i];
        sum += value * (ia[i] % 2 ?: 3);
        sum = sum * x[0] ?: drawn(w[i], &calls);
    }
    return sum * calls;
}

/* A number that only one arm sets, and that is read where that arm ran. */
double f_set_by_a_test(int n, double *x, int *ia, double *w) {
    (void)ia;
    for (int k = 0; k + 1 < n; k++) {
        double alpha = x[k] / w[k], beta = x[k + 1] / w[k], a, b;
        if ((a = 2.0 * alpha + beta - 3.0) > 0.0 && (b = alpha + 2.0 * beta - 3.0) > 0.0 && alpha * (a + b) < a * a) {
            x[k] = 3.0 * w[k] * alpha;
            x[k + 1] = 3.0 * w[k] * beta;
        }
    }
    return x[0] * x[1] + x[n - 1];
}

/* Calls set marks in rows of a table whose other elements the rest of the expression reads. */
static double marked(double *row, double x) {
    if (row[2] < 0.1) row[2] = 2.0 + row[1];
    return row[1] * x * x + row[2];
}
double f_marks(int n, double *x, int *ia, double *w) {
    double table[2][3] = {{x[0], x[1], 0.0}, {x[2], 3.0, 0.5}};
    (void)ia;
    const double first = table[0][0] * x[n - 1] / (5.0 + marked(table[0], x[1]) * marked(table[1], w[0]));
    return first * table[0][2] + table[1][2] * x[0];
}
