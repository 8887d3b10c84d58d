typedef double pair __attribute__((vector_size(16)));
double f(const double *x) {
    pair p = { x[0], x[1] };
    p = p * p;
    return p[0] + p[1];
}
