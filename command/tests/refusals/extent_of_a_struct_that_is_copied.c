typedef struct {
    int n;
} room;
double f(room *r, const room *other, const double *x) {
    double a[r->n], sum = 0.0;
    for (int i = 0; i < r->n; i++) a[i] = x[i] * x[i];
    *r = *other;
    double b[r->n];
    for (int i = 0; i < r->n; i++) b[i] = x[i] * a[0];
    for (int i = 0; i < r->n; i++) sum += b[i] * b[i];
    return sum;
}
