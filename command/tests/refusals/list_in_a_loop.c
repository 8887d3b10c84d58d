/* The adjoints of the nodes lie where the caller put them: no offset of a node leads to its adjoint. */
struct node {
    double value;
    struct node *next;
};
double f(const struct node *p) {
    double sum = 0.0;
    for (; p; p = p->next) sum += p->value * p->value;
    return sum;
}
