/* Loops that run again and write blocks of the stable heap: the pointer finds them, and not the name of the block. */
#include <stdlib.h>

struct node {
    double value;
    struct node *next;
};

double f_beside_a_list(int n, double *x, int *ia, double *w) {
    double *row = malloc(n * sizeof *row), sum = 0.0;
    struct node *head = NULL;
    (void)ia;
    for (int i = 0; i < n; i++) {
        struct node *p = malloc(sizeof *p);
        p->value = x[i] * x[i];
        p->next = head;
        head = p;
        row[i] = x[i] * w[i];
    }
#pragma adjoint again
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < n; i++) row[i] = row[i] * row[(i + 1) % n] + x[i];
    }
    while (head) {
        struct node *p = head->next;
        sum += head->value * row[0];
        free(head);
        head = p;
    }
    for (int i = 0; i < n; i++) sum += row[i] * row[i];
    free(row);
    return sum;
}

/* The block has another address behind `realloc`: such a loop is taped. */
double f_resized(int n, double *x, int *ia, double *w) {
    double *a = malloc(n * sizeof *a), sum = 0.0;
    (void)ia; (void)w;
    for (int i = 0; i < n; i++) a[i] = x[i];
#pragma adjoint again
    for (int i = 0; i < n; i++) a[i] *= x[i];
    a = realloc(a, 1000 * n * sizeof *a);
#pragma adjoint again
    for (int i = 0; i < n; i++) a[i] *= a[(i + 1) % n];
    for (int i = 0; i < n; i++) sum += a[i] * a[i];
    free(a);
    return sum;
}

/* A loop along a list that nobody makes frees nothing: such a loop is taped. */
double f_other_list(int n, double *x, int *ia, double *w) {
    double sum = 0.0;
    struct node *head = NULL, *other = NULL;
    (void)ia;
    for (int i = 0; i < n; i++) {
        struct node *p = malloc(sizeof *p);
        p->value = x[i] * w[i];
        p->next = head;
        head = p;
    }
    while (head) {
        struct node *p = head;
        sum += p->value * x[0];
        head = p->next;
        free(p);
    }
#pragma adjoint again
    while (other) {
        struct node *p = other;
        sum -= p->value * 0.3;
        other = other->next;
        free(p);
    }
    return sum;
}
