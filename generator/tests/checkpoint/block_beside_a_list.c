/* The state is in a block; a list makes all blocks come from the stable heap. */
#include <math.h>
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

struct node {
    double value;
    struct node *next;
};

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double s = 0.0, *u = malloc((size_t)n * sizeof *u);
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *const node = malloc(sizeof *node);
        node->value = x[i] * x[i + 1];
        node->next = list;
        list = node;
    }
    for (int i = 0; i < n; i++) u[i] = x[i];
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < 23; t++) {
        for (int i = 1; i < n; i++) u[i] += 0.1 * sin(u[i - 1]) * x[t];
        u[0] = u[n - 1] * 0.5;
    }
    for (int i = 0; i < n; i++) s += u[i] * list->value;
    while (list != NULL) {
        struct node *const next = list->next;
        s += list->value;
        free(list);
        list = next;
    }
    free(u);
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
