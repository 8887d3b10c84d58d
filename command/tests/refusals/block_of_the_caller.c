#include <stdlib.h>
struct node {
    double value;
    struct node *next;
};
static struct node *put(struct node *list, double value) {
    struct node *p = malloc(sizeof *p);
    p->value = value;
    p->next = list;
    return p;
}
double f(struct node *list, const double *x) {
    double s = 0.0;
    struct node *p = put(list, x[0]);
    for (struct node *q = p; q != NULL; q = q->next) s += q->value * x[1];
    free(p);
    return s;
}
