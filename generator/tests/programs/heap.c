/* Blocks that outlive the code that makes them: lists, trees, tables of rows, structs with their own memory. */
#include <stdlib.h>

struct node {
    double v, w;
    struct node *next, *prev;
    int k;
};

struct list {
    struct node *head, *tail;
    int length;
};

static void append(struct list *l, double v) {
    struct node *p = calloc(1, sizeof *p);
    p->v = v;
    p->k = l->length;
    p->prev = l->tail;
    if (l->tail) l->tail->next = p;
    else l->head = p;
    l->tail = p;
    l->length++;
}

static void drop(struct list *l, struct node *p) {
    if (p->prev) p->prev->next = p->next;
    else l->head = p->next;
    if (p->next) p->next->prev = p->prev;
    else l->tail = p->prev;
    free(p);
    l->length--;
}

/* A list that both ends lead to; nodes are taken out of its middle, and their blocks are used again. */
double f_two_ways(int n, double *x, int *ia, double *w) {
    struct list l = {NULL, NULL, 0};
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) append(&l, x[i] * x[(i + 1) % n]);
    for (struct node *p = l.head; p != NULL; p = p->next) {
        p->w = p->v * p->v;
        if (p->prev) p->w += p->prev->w * p->v;
    }
    struct node *p = l.head;
    while (p) {
        struct node *q = p->next;
        if (p->k % 2) drop(&l, p);
        p = q;
    }
    append(&l, s + x[0]);
    for (p = l.tail; p; p = p->prev) {
        s += p->w * (s + 1.0) + p->v;
        p->v = s;
    }
    while (l.head) {
        s += l.head->v * x[l.length - 1];
        drop(&l, l.head);
    }
    return s;
}

/* Each pass of a loop uses the block of the pass before. */
double f_handed_on(int n, double *x, int *ia, double *w) {
    double *last = malloc(2 * sizeof *last), sum = 0.0;
    (void)ia, (void)w;
    last[0] = 1.0;
    last[1] = 2.0;
    for (int i = 0; i < n; i++) {
        double *next = malloc(2 * sizeof *next);
        next[0] = x[i];
        next[1] = x[i] * x[0];
        sum += last[0] * next[1] + next[0] * last[1];
        free(last);
        last = next;
    }
    free(last);
    return sum;
}

struct work {
    int n;
    double *a;
};

static struct work *work_new(int n) {
    static const double first[2] = {1.0, 2.0};
    if (n < 1) return NULL;
    struct work *w = malloc(sizeof *w);
    w->n = n;
    w->a = malloc((size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) w->a[i] = first[i % 2];
    return w;
}

/* Memory that may not be there. */
double f_or_none(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)w;
    for (int k = 0; k < 3; k++) {
        struct work *work = work_new(k < 2 ? n : ia[k] - 2);
        if (work == NULL) continue;
        for (int i = 0; i < work->n; i++) work->a[i] *= x[i] * x[i] + s;
        for (int i = 0; i < n; i++) s += work->a[i];
        free(work->a);
        free(work);
    }
    return s;
}

/* Blocks that are never freed, and two pointers to one block. */
double f_shared(int n, double *x, int *ia, double *w) {
    double **rows = calloc((size_t)n, sizeof *rows), s = 0.0;
    (void)w;
    for (int i = 0; i < n; i++) {
        if (i < 2) rows[i] = malloc(3 * sizeof **rows);
        else rows[i] = rows[ia[i] % 2];
        for (int j = 0; j < 3; j++) rows[i][j] = (i < 2 ? 1.0 : rows[i][j]) * x[(i + j) % n];
    }
    for (int i = 0; i < n; i++) s = s * rows[i][i % 3] + rows[i][0];
    double *swap = rows[0];
    rows[0] = rows[1];
    rows[1] = swap;
    for (int i = 0; i < n; i++) s += rows[i][1] * rows[(i + 1) % n][2];
    return s;
}

/* A buffer that grows, and shrinks. */
double f_grows(int n, double *x, int *ia, double *w) {
    size_t room = 1;
    int length = 0;
    double *b = malloc(room * sizeof(double)), s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < 3 * n; i++) {
        if ((size_t)length == room) {
            room *= 2;
            b = realloc(b, room * sizeof(double));
        }
        b[length] = x[i % n] * (length > 1 ? b[length / 2 - 1] + 1.0 : 1.0);
        length++;
    }
    b = realloc(b, (size_t)(length / 2) * sizeof *b);
    for (int i = 0; i < length / 2; i++) {
        s += b[i] * b[i] * s + b[i];
        b[i] = s;
    }
    free(b);
    return s;
}

struct buffer {
    double *data;
    int count, room;
};

static void put(struct buffer *b, double x) {
    if (b->count == b->room) {
        b->room = b->room ? 2 * b->room : 2;
        double *more = realloc(b->data, (size_t)b->room * sizeof *more);
        if (!more) abort();
        b->data = more;
    }
    b->data[b->count++] = x;
}

/* Memory from nothing, by realloc; what is cut off is needed by the adjoint. */
double f_buffer(int n, double *x, int *ia, double *w) {
    struct buffer b = {NULL, 0, 0};
    double s = 0.0;
    (void)ia, (void)w;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) put(&b, x[i] * (b.count > 0 ? b.data[b.count - 1] + 0.5 : 1.0));
    }
    for (int i = 0; i < b.count; i++) s += b.data[i] * x[i % n] * b.data[i];
    b.data = realloc(b.data, 3 * sizeof(double));
    b.count = b.room = 3;
    s += b.data[2];
    put(&b, s);
    s += b.data[3] * b.data[3];
    free(b.data);
    b.data = NULL;
    free(b.data);
    return s;
}

/* A list that begins with a variable. */
double f_first(int n, double *x, int *ia, double *w) {
    struct node first = {0.0, 0.0, NULL, NULL, 0}, *last = &first;
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        struct node *p = malloc(sizeof *p);
        p->v = x[i] * x[i];
        p->next = NULL;
        last->next = p;
        last = p;
        first.v += p->v * x[0];
    }
    for (struct node *p = &first; p; p = p->next) s += p->v * s + p->v;
    while (first.next) {
        struct node *p = first.next;
        first.next = p->next;
        s += p->v;
        free(p);
    }
    return s * first.v;
}

/* Pointers to the pointer behind which a node goes, or is taken out. */
double f_sorted(int n, double *x, int *ia, double *w) {
    struct node *head = NULL;
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        struct node **at = &head, *p = malloc(sizeof *p);
        while (*at && (*at)->v < x[i]) at = &(*at)->next;
        p->v = x[i];
        p->next = *at;
        *at = p;
    }
    for (struct node **at = &head; *at;) {
        struct node *p = *at;
        if (p->v < 0.8) {
            *at = p->next;
            s += p->v;
            free(p);
        } else {
            p->v *= p->v + s;
            at = &p->next;
        }
    }
    for (struct node *p = head; p; p = p->next) s = s * p->v + 1.0;
    while (head) {
        struct node *p = head;
        head = head->next;
        free(p);
    }
    return s;
}

static void push(struct node **list, double v) {
    struct node *p = malloc(sizeof(struct node));
    p->v = v;
    p->next = *list;
    *list = p;
}

static double pop(struct node **list) {
    struct node *p = *list;
    double v = p->v;
    *list = p->next;
    free(p);
    return v;
}

double f_stacks(int n, double *x, int *ia, double *w) {
    struct node *a = NULL, *b = NULL, *none = NULL;
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) push(&a, x[i]);
    while (a) {
        double v = pop(&a);
        push(&b, v * v);
        if (!a) break;
        push(&b, v + s);
        s += v;
    }
    if (none != NULL) s += none->v;
    while (b) s += pop(&b) * s;
    return s;
}

/* Pointers into one block, in another. */
double f_views(int n, double *x, int *ia, double *w) {
    double **columns = malloc((size_t)n * sizeof *columns), *data = malloc((size_t)n * 3 * sizeof *data), s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) columns[i] = data + 3 * i;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 3; j++) columns[i][j] = x[i] * (j + 1);
    }
    for (int i = 0; i < n; i++) {
        columns[i]++;
        s += columns[i][1] * columns[i][-1] + *columns[i];
        *columns[i] *= s;
    }
    for (int i = 0; i < 3 * n; i++) s += data[i] * data[i];
    free(columns);
    free(data);
    return s;
}

/* A table that nothing but free reads. */
double f_freed(int n, double *x, int *ia, double *w) {
    double *rows[2] = {NULL, NULL}, s = 0.0;
    struct node *list = NULL;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) push(&list, x[i] * x[i]);
    while (list) s += pop(&list) * s + x[0];
    for (int i = 0; i < 2; i++) free(rows[i]);
    return s;
}

/* Local arrays that change places in a table of pointers. */
double f_levels(int n, double *x, int *ia, double *w) {
    double a[8], b[8], c[8], *u[3] = {a, b, c};
    double s = 0.0;
    (void)ia;
    for (int i = 0; i < n; i++) {
        u[0][i] = x[i];
        u[1][i] = 0.9 * x[i] * w[i];
        u[2][i] = 0.0;
    }
    for (int step = 0; step < 5; step++) {
        for (int i = 1; i < n - 1; i++) {
            u[2][i] = 2.0 * u[1][i] - u[0][i] + 0.1 * (u[1][i - 1] - u[1][i + 1]) * u[1][i];
        }
        double *t = u[0];
        u[0] = u[1];
        u[1] = u[2];
        u[2] = t;
    }
    for (int i = 0; i < n; i++) s += u[1][i] * u[1][i];
    return s;
}

struct levels {
    double *now, *next;
    int count;
};

static void advance(struct levels *l, int n, const double *w) {
    double *t = l->now;
    for (int i = 0; i < n; i++) l->next[i] = l->now[i] * l->now[(i + 1) % n] + w[i];
    l->now = l->next;
    l->next = t;
    l->count++;
}

double f_exchanged(int n, double *x, int *ia, double *w) {
    double one[8], other[8], s = 0.0;
    struct levels l = {one, other, 0};
    for (int i = 0; i < n; i++) one[i] = x[i] * x[i];
    for (int step = 0; step < ia[0] + 3; step++) advance(&l, n, w);
    for (int i = 0; i < n; i++) s += l.now[i] * l.next[i];
    return s * l.count;
}

/* A struct that ends in an array, as long as its block. */
struct packed {
    struct packed *next;
    int count;
    double value[];
};

double f_packed(int n, double *x, int *ia, double *w) {
    struct packed *all = NULL;
    double s = 0.0;
    (void)ia;
    for (int i = 1; i <= n; i++) {
        struct packed *p = malloc(sizeof(struct packed) + (size_t)i * sizeof(double));
        p->count = i;
        for (int k = 0; k < i; k++) p->value[k] = x[k] * x[i % n];
        p->next = all;
        all = p;
    }
    while (all) {
        struct packed *p = all;
        for (int k = 0; k < p->count; k++) s += p->value[k] * s + p->value[k] * w[k];
        all = p->next;
        free(p);
    }
    return s;
}

/* A function that calls itself with one of two arrays of its own: its argument is memory of the caller first. */
static double halves(int depth, const double *in, int n) {
    double a[8], b[8], *p[2] = {a, b}, r;
    for (int i = 0; i < n; i++) {
        a[i] = 0.9 * in[i];
        b[i] = in[(i + 1) % n];
    }
    if (depth & 1) {
        double *t = p[0];
        p[0] = p[1];
        p[1] = t;
    }
    for (int i = 0; i < n; i++) p[0][i] *= p[1][i];
    if (depth == 0) return p[0][0] + p[0][1];
    r = halves(depth - 1, p[0], n);
    return r * p[1][0];
}

double f_halves(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    return halves(3, x, n);
}

/* Pointers that functions store for their callers: the tangent knew no tangents of the blocks there. */
struct two { double *now, *next; };
static void swap_both(double **u, double **v) { double *t = *u; *u = *v; *v = t; }
static void turn_both(struct two *p) { swap_both(&p->now, &p->next); }
static void choose(double **out, double *a, double *b, int first) { *out = first ? a : b + 1; }

double f_chosen_for_the_caller(int n, double *x, int *ia, double *w) {
    double *a = malloc(4 * sizeof *a), *b = malloc(4 * sizeof *b), s = 0;
    struct two p = {a, b};
    for (int i = 0; i < 4; i++) { a[i] = x[i]; b[i] = w[i]; }
    for (int t = 0; t < n; t++) {
        double *m;
        for (int i = 0; i < 4; i++) p.next[i] = 0.3 * p.now[i] * p.now[(i + 1) % 4] + 0.1 * p.next[i];
        turn_both(&p);
        choose(&m, p.now, p.next, ia[t] > 0);
        s += m[0] * m[1];
        m[2] *= 0.7;
    }
    s += p.now[1] * p.next[2];
    free(a);
    free(b);
    return s;
}

/* One node of two depends on nothing: the function that makes them has one tangent for both. */
struct item { double v; struct item *next; int k; };

static struct item *item_new(double v, int k) {
    struct item *p = calloc(1, sizeof *p);
    p->v = v;
    p->k = k;
    return p;
}

double f_items(int n, double *x, int *ia, double *w) {
    struct item *list = NULL;
    double s = x[0];
    (void)w;
    if (ia[1] == 0) {
        for (int i = 0; i < n; i++) {
            struct item *p = item_new(x[i] * x[3], 0);
            p->next = list;
            list = p;
        }
    }
    for (struct item *p = list; p != NULL; p = p->next) s += p->v * p->v;
    while (list != NULL) {
        struct item *next = list->next;
        free(list);
        list = next;
    }
    return s;
}

double f_two_items(int n, double *x, int *ia, double *w) {
    struct item *one = item_new(x[0] * x[1], 2), *two = item_new(0.25, 3), *first = one;
    double s;
    (void)n, (void)ia, (void)w;
    one = two;
    two = first;
    s = one->v * x[2] + two->v * two->v;
    free(one);
    free(two);
    return s;
}

/* Functions of the source around realloc. */
static void *resized(void *p, size_t bytes) {
    p = realloc(p, bytes);
    if (p == NULL) exit(1);
    return p;
}

static void *grown(void *old, size_t count, size_t size) {
    void *new = realloc(old, count * size);
    return new;
}

double f_resized(int n, double *x, int *ia, double *w) {
    double *a = NULL, *b = malloc(sizeof *b), s = 0;
    (void)w;
    b[0] = x[0] * x[1];
    for (int i = 0; i < n; i++) {
        a = resized(a, (size_t)(i + 1) * sizeof *a);
        a[i] = x[i] * x[i];
        if (i > ia[1]) {
            b = grown(b, (size_t)(i + 1), sizeof *b);
            b[i] = a[i] * b[0];
        }
    }
    for (int i = 0; i < n; i++) s += a[i] * x[i];
    s += b[n - 1];
    free(a);
    free(b);
    return s;
}
