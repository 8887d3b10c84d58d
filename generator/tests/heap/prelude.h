/* What random programs on the heap have in common: lists, trees, buffers that grow. */
#include <math.h>
#include <stdlib.h>

struct node {
    double v, w;
    struct node *next;
    int k;
};

struct tree {
    double v;
    struct tree *left, *right;
    int k;
};

struct buffer {
    double *data;
    int count, room;
};

static struct node *node_new(double v, int k) {
    struct node *p = calloc(1, sizeof *p);
    p->v = v;
    p->w = 0.5;
    p->k = k;
    return p;
}

static void append(struct node **list, struct node *p) {
    struct node **at = list;
    while (*at != NULL) at = &(*at)->next;
    *at = p;
}

static struct node *find(struct node *list, int k) {
    while (list != NULL && list->k != k) list = list->next;
    return list;
}

static void put(struct buffer *b, double v) {
    if (b->count == b->room) {
        b->room = b->room > 0 ? 2 * b->room : 1;
        b->data = realloc(b->data, (size_t)b->room * sizeof *b->data);
    }
    b->data[b->count++] = v;
}

static void insert(struct tree **at, double v, int k) {
    while (*at != NULL) at = k < (*at)->k ? &(*at)->left : &(*at)->right;
    struct tree *t = malloc(sizeof *t);
    t->v = v;
    t->k = k;
    t->left = t->right = NULL;
    *at = t;
}

static double sum(const struct tree *t) {
    if (t == NULL) return 0.0;
    return t->v + 0.5 * sin(sum(t->left)) * t->v + 0.25 * sum(t->right);
}

static void scale(struct tree *t, double by) {
    if (t == NULL) return;
    scale(t->left, by);
    t->v *= 0.8 * by;
    scale(t->right, 0.9 * by);
}

static struct tree *drop(struct tree *t) {
    if (t == NULL) return NULL;
    drop(t->left);
    drop(t->right);
    free(t);
    return NULL;
}
