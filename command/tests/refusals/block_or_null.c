#include <stdlib.h>
struct work {
    int n;
    double *a;
};
static struct work *work_new(int n) {
    if (n < 1) return NULL;
    struct work *w = malloc(sizeof *w);
    w->a = malloc((size_t)n * sizeof(double));
    w->n = n;
    return w;
}
double f(int n, const double *x) {
    struct work *w = work_new(n);
    double s = 0.0;
    if (w == NULL) return s;
    for (int i = 0; i < n; i++) w->a[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) s += w->a[i];
    free(w->a);
    free(w);
    return s;
}
