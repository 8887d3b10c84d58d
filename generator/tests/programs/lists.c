/* Functions that take a list of arguments and pass it on to a function that prints. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct {
    double scale;
    int code, count;
    char text[64];
} context;

double f_status(int n, double *x, int *ia, double *w);
double f_traced(int n, double *x, int *ia, double *w);
double f_invalid(int n, double *x, int *ia, double *w);

static int fail(context *at, int code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(at->text, sizeof(at->text), format, list);
    va_end(list);
    at->code = code;
    at->count++;
    return code;
}

static int reciprocal(context *at, double x, double *y) {
    if (x < 0.5) return fail(at, 3, "%g is less than %g, number %d", x, 0.5, at->count);
    *y = at->scale / x;
    return 0;
}

double f_status(int n, double *x, int *ia, double *w) {
    context at = {.scale = x[1] * x[1]};
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        double y;
        if (reciprocal(&at, x[i], &y) != 0) {
            s += x[i] * x[i];
        } else {
            s += y * y;
        }
    }
    return s * at.count;
}

static int traces;

static void vtrace(FILE *to, const char *format, va_list list) {
    if (traces < 0 && to != NULL) vfprintf(to, format, list);
}

static void trace(FILE *to, const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    vtrace(to, format, list);
    va_end(list);
    va_end(again);
}

double f_traced(int n, double *x, int *ia, double *w) {
    double s = 1.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        s = s * x[i] + sin(s);
        trace(stderr, "%d: %g\n", i, s);
    }
    return s;
}

static double invalid(const char *format, ...) {
    char text[40];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    return text[0] == 'n' ? 0.0 : 1.0;
}

double f_invalid(int n, double *x, int *ia, double *w) {
    double s = 1.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        s += x[i] < 0.5 ? invalid("no: %g", x[i]) : sqrt(x[i]) * x[i];
    }
    return s;
}
