/* Functions that make memory for their callers, and functions that free it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double f_work(int n, double *x, int *ia, double *w);
double f_products(int n, double *x, int *ia, double *w);
double f_embedded(int n, double *x, int *ia, double *w);
double f_returned(int n, double *x, int *ia, double *w);
double f_passes(int n, double *x, int *ia, double *w);
double f_nested(int n, double *x, int *ia, double *w);
double f_vector(int n, double *x, int *ia, double *w);
double f_state(int n, double *x, int *ia, double *w);
double f_at_least_one(int n, double *x, int *ia, double *w);

struct work {
    int n;
    double *a, *b;
};

static struct work *work_new(int n) {
    struct work *w = malloc(sizeof *w);
    w->n = n;
    w->a = malloc((size_t)n * sizeof(double));
    w->b = calloc((size_t)n, sizeof(double));
    return w;
}

static void work_free(struct work *w) {
    free(w->a);
    free(w->b);
    free(w);
}

double f_work(int n, double *x, int *ia, double *w) {
    struct work *t = work_new(n);
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        t->a[i] = x[i] * x[i];
        t->b[i] += sin(t->a[i]);
        t->a[i] *= t->b[i];
    }
    for (int i = 0; i < t->n; i++) s += t->a[i] * t->b[t->n - 1 - i];
    work_free(t);
    return s;
}

typedef struct {
    int rows, columns;
    double *data;
} matrix;

static matrix *matrix_new(int rows, int columns) {
    matrix *m = (matrix *)malloc(sizeof(matrix));
    if (m == NULL) return NULL;
    m->rows = rows;
    m->columns = columns;
    m->data = (double *)calloc((size_t)(rows * columns), sizeof(double));
    if (!m->data) {
        free(m);
        return NULL;
    }
    return m;
}

static void matrix_free(matrix *m) {
    if (m) {
        free(m->data);
        free(m);
    }
}

static double matrix_get(const matrix *m, int i, int j) {
    return m->data[i * m->columns + j];
}

static matrix *matrix_product(const matrix *a, const matrix *b) {
    matrix *c = matrix_new(a->rows, b->columns);
    if (c == NULL) return NULL;
    for (int i = 0; i < a->rows; i++) {
        for (int j = 0; j < b->columns; j++) {
            double s = 0.0;
            for (int k = 0; k < a->columns; k++) s += matrix_get(a, i, k) * matrix_get(b, k, j);
            c->data[i * c->columns + j] = s;
        }
    }
    return c;
}

double f_products(int n, double *x, int *ia, double *w) {
    matrix *a = matrix_new(2, 2), *b = matrix_new(2, 2), *c, *d;
    double s = 0.0;
    (void)n, (void)ia, (void)w;
    if (a == NULL || b == NULL) return -1.0;
    for (int i = 0; i < 4; i++) {
        a->data[i] = x[i];
        b->data[i] = x[i] * x[3 - i];
    }
    c = matrix_product(a, b);
    if (c == NULL) {
        fprintf(stderr, "no memory\n");
        matrix_free(a);
        matrix_free(b);
        return -1.0;
    }
    d = matrix_product(c, c);
    for (int i = 0; i < 2; i++) s += matrix_get(d, i, 1 - i) * matrix_get(c, i, i) * (i + 1);
    matrix_free(a);
    matrix_free(b);
    matrix_free(c);
    matrix_free(d);
    return s;
}

typedef struct {
    int degree;
    double *c;
    double scale;
} polynomial;

static void polynomial_begin(polynomial *p, int degree, double scale) {
    p->degree = degree;
    p->scale = scale;
    p->c = malloc(((size_t)degree + 1) * sizeof(double));
    memset(p->c, 0, ((size_t)degree + 1) * sizeof(double));
}

static void polynomial_end(polynomial *p) {
    free(p->c);
    p->c = NULL;
    p->degree = 0;
}

static double polynomial_at(const polynomial *p, double t) {
    double s = 0.0;
    for (int i = p->degree; i >= 0; i--) s = s * t + p->c[i];
    return p->scale * s;
}

double f_embedded(int n, double *x, int *ia, double *w) {
    polynomial p;
    (void)ia, (void)w;
    polynomial_begin(&p, n - 1, x[0] * x[1]);
    for (int i = 0; i < n; i++) p.c[i] += x[i] * p.scale;
    double s = polynomial_at(&p, x[1]) * polynomial_at(&p, 0.5);
    polynomial_end(&p);
    return s;
}

static matrix matrix_of(int rows, int columns, double first) {
    matrix m;
    m.rows = rows;
    m.columns = columns;
    m.data = malloc((size_t)rows * (size_t)columns * sizeof(double));
    for (int i = 0; i < rows * columns; i++) m.data[i] = first * i;
    return m;
}

static double trace(matrix m) {
    double s = 0.0;
    for (int i = 0; i < m.rows; i++) s += m.data[i * m.columns + i];
    return s;
}

double f_returned(int n, double *x, int *ia, double *w) {
    matrix m = matrix_of(n, n, x[0]);
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) m.data[i * n + i] *= x[i] * x[0];
    double s = trace(m) * m.data[1];
    free(m.data);
    return s;
}

double f_passes(int n, double *x, int *ia, double *w) {
    double s = 1.0;
    (void)ia, (void)w;
    for (int pass = 0; pass < 3; pass++) {
        struct work *t = work_new(n + pass);
        for (int i = 0; i < n; i++) {
            t->a[i] = x[i] * s;
            t->b[i] = t->a[i] * t->a[i];
        }
        for (int i = 0; i < n; i++) s += 0.1 * t->b[i] * t->a[n - 1 - i];
        work_free(t);
    }
    return s;
}

typedef struct {
    struct work *inner;
    polynomial p;
    double weight[2];
} outer;

static outer *outer_new(int n, const double *x) {
    outer *o = calloc(1, sizeof(*o));
    if (!o) abort();
    o->inner = work_new(n);
    polynomial_begin(&o->p, 2, x[1]);
    o->weight[1] = x[0];
    return o;
}

static void outer_free(outer *o) {
    work_free(o->inner);
    polynomial_end(&o->p);
    free(o);
}

double f_nested(int n, double *x, int *ia, double *w) {
    outer *o = outer_new(n, x);
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        o->inner->a[i] = x[i] * o->weight[i % 2];
        o->p.c[i % 3] += o->inner->a[i];
        o->weight[i % 2] += x[i];
    }
    s = polynomial_at(&o->p, x[2]) * o->weight[0];
    outer_free(o);
    return s;
}

static double *vector(int n) {
    double *v = malloc((size_t)n * sizeof(double));
    if (!v) {
        fprintf(stderr, "no memory for %d\n", n);
        exit(1);
    }
    return v;
}

double f_vector(int n, double *x, int *ia, double *w) {
    double *a = vector(n), *b = vector(2 * n), s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        a[i] = x[i] * x[0];
        b[2 * i] = a[i] * a[i];
        b[2 * i + 1] = cos(a[i]);
    }
    for (int i = 1; i < 2 * n; i++) s += b[i] * b[i - 1];
    free(a);
    free(b);
    return s;
}

/* Members that change on conditions and in loops. */
struct state {
    int count;
    double sum, last;
    double *seen;
};

static struct state *state_new(int n) {
    struct state *s = malloc(sizeof *s);
    s->seen = vector(n);
    s->count = 0;
    s->sum = 0.0;
    s->last = 1.0;
    return s;
}

static void state_add(struct state *s, double x) {
    if (x > 0.5) {
        s->seen[s->count++] = x;
        s->sum += x * s->last;
    }
    s->last = x;
}

double f_state(int n, double *x, int *ia, double *w) {
    struct state *s = state_new(n);
    double r = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) state_add(s, x[i] * x[0]);
    for (int i = 0; i < s->count; i++) r += s->seen[i] * s->sum;
    r += s->last;
    free(s->seen);
    free(s);
    return r;
}

/* A struct with pointers that a function returns, or sets for its caller, or moves. */
struct window {
    const double *at;
    int n;
};

static struct window behind(const double *x, int n, int k) {
    struct window w;
    w.at = x + k;
    w.n = n - k;
    return w;
}

static void attach(struct window *w, const double *x, int n) {
    w->at = x;
    w->n = n;
}

static double taken(struct window *w) {
    w->n--;
    return *w->at++;
}

double f_windows(int n, double *x, int *ia, double *w) {
    struct window a = behind(x, n, 1), b;
    double s = 0.0;
    (void)ia, (void)w;
    attach(&b, x, n);
    for (int i = 0; i < 2; i++) s += taken(&b) * s + a.at[i];
    return s * b.n * a.at[a.n - 1];
}

/* Memory of no type from functions around malloc. */
static void *given(size_t bytes) {
    void *p = (void *)malloc(bytes);
    if (p == NULL) {
        fprintf(stderr, "no memory\n");
        exit(EXIT_FAILURE);
    }
    return p;
}

static void *cleared(size_t n, size_t size) {
    void *p;
    if (!(p = malloc(n * size))) abort();
    memset(p, 0, n * size);
    return p;
}

struct samples { int n; double *a; };

static struct samples *samples_new(int n) {
    struct samples *s = given(sizeof *s);
    s->n = n;
    s->a = (double *)cleared((size_t)n, sizeof(double));
    return s;
}

double f_without_type(int n, double *x, int *ia, double *w) {
    double *square = given((size_t)n * sizeof *square), s = 0.0;
    struct samples *all = samples_new(n);
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) square[i] = x[i] * x[i];
    for (int i = 1; i < n; i++) all->a[i] = square[i] * x[i - 1];
    for (int i = 0; i < n; i++) s += all->a[i] * square[n - 1 - i];
    free(square);
    free(all->a);
    free(all);
    return s;
}

/* A block of no element has room for one all the same. */
static void *array_of(long n, size_t size) {
    return malloc((size_t)(n > 1 ? n : 1) * size);
}

static void *zeros_of(size_t n, size_t size) {
    return calloc(n == 0 ? 1 : n, size);
}

static void *bytes_of(size_t bytes) {
    return malloc(bytes ? bytes : 1);
}

static void *int_bytes_of(int size) {
    return calloc((size_t)size, 1);
}

double f_at_least_one(int n, double *x, int *ia, double *w) {
    double s = 0.0, *d = int_bytes_of((int)((size_t)n * sizeof *d));
    (void)ia, (void)w;
    for (int k = 0; k < n; k++) {
        d[k] += x[k] * s;
        double *a = array_of(k, sizeof *a), *b = zeros_of((size_t)k, sizeof *b);
        double *c = bytes_of((size_t)k * sizeof *c);
        a[0] = x[k] * x[k];
        for (int i = 0; i < k; i++) b[i] = a[0] * x[i], c[i] = b[i] * b[i];
        b[0] += a[0];
        for (int i = 0; i < k; i++) s += b[i] * c[i];
        s += a[0] * b[0] * d[k];
        free(a), free(b), free(c);
    }
    free(d);
    return s;
}

/* An operand of a condition makes a block: its type is that of the whole. */
struct two {
    double *a, *b;
};

double f_choice_nested(int n, double *x, int *ia, double *w) {
    double s = 0.0, *a = ia[0] ? (ia[1] ? NULL : malloc((size_t)n * sizeof *a)) : malloc(2 * sizeof *a);
    (void)w;
    if (!a) return 0.0;
    for (int i = 0; i < n; i++) a[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) s += a[i] * a[n - 1 - i];
    free(a);
    return s;
}

double f_choice_of_member(int n, double *x, int *ia, double *w) {
    struct two p;
    double s = 1.0;
    (void)w;
    p.a = ia[0] ? cleared((size_t)n, sizeof(double)) : NULL;
    p.b = ia[1] ? cleared((size_t)n, sizeof(double)) : NULL;
    if (!p.a) return 0;
    for (int i = 0; i < n; i++) p.a[i] += x[i] * s, s *= p.a[i];
    if (p.b) p.b[0] = s * x[1];
    if (p.b) s += p.b[0];
    free(p.b);
    free(p.a);
    return s;
}

double f_choice_of_sizes(int n, double *x, int *ia, double *w) {
    double s = 1.0;
    for (int k = 0; k < 3; k++) {
        double *a = ia[k] ? malloc((size_t)n * sizeof *a) : calloc((size_t)n, sizeof *a);
        if (!a) exit(1);
        for (int i = 0; i < n; i++) a[i] = (ia[k] ? w[i] : a[i]) + x[i] * s;
        for (int i = 0; i < n; i++) s += a[i] * a[n - 1 - i] / 10;
        free(a);
    }
    return s;
}
