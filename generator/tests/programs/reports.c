/* Errors are noted in errno, which the model does not read, and reported. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

double f_reports(int n, double *x, int *ia, double *w);
double f_noted(int n, double *x, int *ia, double *w);

static void note(int code) {
    errno = code;
}

double f_reports(int n, double *x, int *ia, double *w) {
    double s = 1.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0.8) {
            errno = ERANGE;
            note(EDOM);
            s += x[i];
        } else {
            s += sqrt(x[i]) * s;
        }
    }
    return s;
}

double f_noted(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    if (n < 2) {
        errno = EINVAL;
        return 0.0;
    }
    x[0] = x[0] * x[1];
    errno = x[0] > 1.0 ? EDOM : 0;
    return x[0] * x[0];
}

typedef struct {
    int level, line;
    char subject[80];
    const char *function;
} message;

typedef void (*handler)(const message *);
static handler own;

static handler active(void) {
    return own;
}

/* A function that reports, and that cannot be read. */
static void report(const message *m) {
    active()(m);
}

double f_reported(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    if (x[0] > 100.0) {
        message m = {.level = 1, .line = __LINE__, .function = __func__};
        snprintf(m.subject, sizeof(m.subject), "%g is too large", x[0]);
        report(&m);
    }
    return x[0] * x[1];
}
