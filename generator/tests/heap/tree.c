/* A tree that functions build, sum up and free by calling themselves. */
#include <stdlib.h>

struct tree {
    double value;
    struct tree *left, *right;
};

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static struct tree *grow(int from, int to, const double *x) {
    if (from >= to) return NULL;
    const int middle = (from + to) / 2;
    struct tree *t = malloc(sizeof *t);
    t->value = x[middle] * x[middle];
    t->left = grow(from, middle, x);
    t->right = grow(middle + 1, to, x);
    return t;
}

static double sum(const struct tree *t) {
    if (t == NULL) return 0.0;
    return t->value * (1.0 + 0.1 * sum(t->left)) + sum(t->right);
}

static void fell(struct tree *t) {
    if (t == NULL) return;
    fell(t->left);
    fell(t->right);
    free(t);
}

double f(int n, double *x, int *ia, double *w) {
    struct tree *t = grow(0, n, x);
    const double s = sum(t);
    (void)ia, (void)w;
    fell(t);
    return s;
}

void tables(int *ia) { ia[0] = 0; }
