struct room {
    int n;
};
static void grow(struct room *r) {
    r->n += 2;
}
double f(struct room *r, const double *x) {
    double a[r->n], sum = 0.0;
    for (int i = 0; i < r->n; i++) a[i] = x[i] * x[i];
    grow(r);
    double b[r->n];
    for (int i = 0; i < r->n; i++) b[i] = x[i] * a[0];
    for (int i = 0; i < r->n; i++) sum += b[i] * b[i];
    return sum;
}
