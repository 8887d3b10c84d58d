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
