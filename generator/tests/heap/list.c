/* Handling pointers, section 4 (C4, C5): a linked list that grows by its head, is walked, and is freed. */
#include <stdlib.h>

struct node {
    double value;
    struct node *next;
};

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    struct node *head = NULL;
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        struct node *p = malloc(sizeof *p);
        p->value = x[i] * x[i];
        p->next = head;
        head = p;
    }
    for (struct node *p = head; p != NULL; p = p->next) {
        p->value *= p->value;
    }
    while (head != NULL) {
        struct node *next = head->next;
        s += head->value;
        free(head);
        head = next;
    }
    return s;
}

void tables(int *ia) { ia[0] = 0; }
