/* Work space at file scope: each call sets the pointers before it reads them, and leaves them as they are. */
#include <stdlib.h>

double f_line(int n, double *x, int *ia, double *w);
double f_work(int n, double *x, int *ia, double *w);
double f_rows(int n, double *x, int *ia, double *w);

static int extent;
static double *point, *direction, **rows;
static struct {
    double *weights, *sums;
    int count;
} work;

static double *reals(int n) {
    double *v = malloc((size_t)n * sizeof *v);
    if (!v) abort();
    return v;
}

static double along(double t) {
    double *at = reals(extent), s = 0.0;
    for (int i = 0; i < extent; i++) at[i] = point[i] + t * direction[i];
    for (int i = 0; i < extent; i++) s += at[i] * at[i] * at[extent - 1 - i];
    free(at);
    return s;
}

double f_line(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    extent = n;
    point = reals(n);
    direction = reals(n);
    for (int i = 0; i < n; i++) {
        point[i] = x[i];
        direction[i] = x[i] * x[(i + 1) % n];
    }
    double s = along(x[0]);
    s *= along(0.5);
    free(point);
    free(direction);
    return s;
}

static int set_up(int n, const double *x) {
    double *v = malloc((size_t)n * sizeof *v);
    if (!v) return 1;
    work.weights = v;
    work.sums = calloc((size_t)n, sizeof *work.sums);
    if (work.sums == NULL) return 2;
    work.count = n;
    for (int i = 0; i < n; i++) {
        work.weights[i] = x[i] * x[i];
        work.sums[i] += x[n - 1 - i] * x[i];
    }
    return 0;
}

static double weighted(void) {
    double s = 0.0;
    for (int i = 0; i < work.count; i++) s += work.weights[i] * work.sums[i];
    return s;
}

double f_work(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    if (set_up(n, x) != 0) return -1.0;
    double s = weighted();
    for (int i = 0; i < n; i++) work.weights[i] *= s;
    s = weighted();
    free(work.weights);
    free(work.sums);
    work.weights = work.sums = NULL;
    return s;
}

double f_rows(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia, (void)w;
    for (int k = 1; k < 3; k++) {
        rows = malloc((size_t)n * sizeof *rows);
        for (int i = 0; i < n; i++) rows[i] = reals(n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) rows[i][j] = x[i] * x[j] * k + s;
        for (int i = 0; i < n; i++) s += rows[i][n - 1 - i] * rows[0][i];
        for (int i = 0; i < n; i++) free(rows[i]);
        free(rows);
    }
    return s;
}
