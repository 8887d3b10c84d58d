/* Blocks that several paths free. */
#include <math.h>
#include <stdlib.h>

double f_early(int n, double *x, int *ia, double *w) {
    double *work = malloc((size_t)n * sizeof *work);
    if (!work) return 0.0;
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        work[i] = x[i] * w[i];
    }
    for (int i = 1; i < n; i++) {
        work[i] *= sin(work[i - 1]);
        if (ia[i] == 3) {
            s = work[i] * work[0];
            free(work);
            return s;
        }
    }
    if (ia[0] == 1) {
        if (work[n - 1] > 100.0) {
            free(work);
            return x[0] * x[1];
        }
        s = 0.5;
    }
    for (int i = 0; i < n; i++) {
        s += work[i] * work[i];
        work[i] = s * x[0];
    }
    s += work[n - 1];
    free(work);
    return s;
}

static int solve(int n, const double *a, double *b) {
    double *copy = calloc((size_t)n, sizeof(double)), *scale = calloc((size_t)n, sizeof(double));
    if (!copy || !scale) {
        if (copy) free(copy);
        if (scale) free(scale);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        scale[i] = 1.0 + a[i] * a[i];
        copy[i] = b[i] / scale[i];
    }
    for (int i = 0; i < n; i++) {
        if (scale[i] < 0.0) {
            free(copy);
            free(scale);
            return 2;
        }
        copy[i] = copy[i] * copy[(i + 1) % n];
        scale[i] *= copy[i];
    }
    if (n < 2) {
        free(scale);
        free(copy);
        return 3;
    }
    for (int i = 0; i < n; i++) {
        b[i] = scale[i] * copy[i];
    }
    free(scale);
    free(copy);
    return 0;
}

double f_status(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    for (int k = 0; k < 3; k++) {
        if (solve(n - (k == ia[0]), x, w) != 0) return s;
        s += w[0] * w[n - 1] + x[k];
    }
    return s;
}

static int failing(int n, const double *x, double *out) {
    int status = -1;
    double *a = malloc((size_t)n * sizeof *a), *b = NULL, *c = NULL;
    if (!a) goto done;
    b = calloc((size_t)n, sizeof *b);
    if (b == NULL) goto done;
    c = malloc((size_t)n * sizeof *c);
    if (!c) {
        status = -3;
        goto done;
    }
    for (int i = 0; i < n; i++) {
        a[i] = exp(x[i]);
        if (a[i] > 1e3) {
            status = -2;
            goto done;
        }
        b[i] += a[i] * x[0];
        c[i] = i > 0 ? c[i - 1] * b[i] : 0.5;
    }
    *out = 0.0;
    for (int i = 0; i < n; i++) {
        *out += a[i] * b[n - 1 - i] * c[i];
    }
    status = 0;
done:
    free(c);
    free(b);
    free(a);
    return status;
}

double f_to_the_end(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia;
    if (failing(n, x, &s) != 0) return w[0];
    return s * w[1];
}

/* Pointers to both structs go on the tape, then the blocks are freed: on the stable heap that is on the tape, too. */
struct layer {
    double *u, e;
};

double f_last(int n, double *x, int *ia, double *w) {
    struct layer a = {malloc(4 * sizeof(double)), 1.0}, b = {malloc(4 * sizeof(double)), 0.5}, *p = &a, *q = &b;
    (void)ia, (void)w;
    for (int i = 0; i < 4; i++) {
        a.u[i] = x[i];
        b.u[i] = x[i + 4];
    }
    for (int t = 0; t < n; t++) {
        for (int i = 0; i < 4; i++) q->u[i] += 0.3 * p->u[(i + 1) & 3] * p->u[i] * p->e;
        q->e = p->e * q->u[0];
        struct layer *s = p;
        p = q;
        q = s;
    }
    double r = p->e + q->u[1] * p->u[2];
    free(p->u);
    free(q->u);
    return r;
}
