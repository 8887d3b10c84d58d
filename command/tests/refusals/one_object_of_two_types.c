struct pair { double a, b; };
double f(struct pair *first, int *last, double x) {
    first->b = x * x;
    return (void *)first != (void *)last ? *last * first->b : 0.0;
}
