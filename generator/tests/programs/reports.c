/* What is noted and reported, and read by nothing else. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double f_reports(int n, double *x, int *ia, double *w);
double f_noted(int n, double *x, int *ia, double *w);
double f_counted(int n, double *x, int *ia, double *w);
double f_depth(int n, double *x, int *ia, double *w);
double f_printed(int n, double *x, int *ia, double *w);
double f_told(int n, double *x, int *ia, double *w);

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

/* What is kept from call to call decides what is printed, and nothing else. */
static int warn(const char *what, double value) {
    static int shown;
    if (shown++ < 1) fprintf(stderr, "warning: %s (%g)\n", what, value);
    return -1;
}

static void progress(int i, int n) {
    static time_t last;
    static int percent = -1;
    time_t now = time(NULL);
    if (now - last < 1 && i * 100 / n == percent) return;
    percent = i * 100 / n;
    last = now;
    fflush(stderr);
}

static const char *number(double value) {
    static char text[32];
    snprintf(text, sizeof text, "%.3g", value);
    return text;
}

static void print(const double *x, int n) {
    static FILE *to;
    char line[64] = "";
    if (!to) to = stderr;
    for (int i = 0; i < n && i < 2; i++) {
        strcat(line, number(x[i]));
        strcat(line, " ");
    }
    fprintf(to, "%s\n", line);
}

double f_counted(int n, double *x, int *ia, double *w) {
    static int first = 1;
    static double largest;
    double s = 1.0;
    (void)ia;
    if (first) {
        print(x, n);
        first = 0;
    }
    for (int i = 0; i < n; i++) {
        progress(i, n);
        if (x[i] < 0.8) {
            warn("small", x[i]);
            continue;
        }
        s += sin(x[i] * s) * w[i];
    }
    if (s > largest) {
        largest = s;
        fprintf(stderr, "largest: %s\n", number(largest));
    }
    return s;
}

/* A function that calls itself, and says how deep. */
static double halved(double x) {
    static int depth;
    double y = x * x;
    if (++depth > 2 && depth < 4) fprintf(stderr, "depth %d\n", depth);
    if (x > 0.4) y += halved(0.5 * x) * x;
    depth--;
    return y;
}

double f_depth(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) s += halved(x[i]);
    return s;
}

/* Without source: a text with a list of arguments behind it. */
extern int dprintf(int file, const char *format, ...);

double f_printed(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia;
    for (int i = 0; i < n; i++) {
        s += x[i] * x[i] * w[i];
        if (i == 0) dprintf(2, "%d: %g\n", i, s);
    }
    return s;
}

/* A message names errno. */
double f_told(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        if (x[i] < -1e9) {
            fprintf(stderr, "no value (%d: %s)\n", errno, strerror(errno));
            exit(1);
        }
        s += x[i] * x[i];
    }
    return s;
}

/* Functions that never return. */
__attribute__((noreturn)) static void stop(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static double none(double x) __attribute__((noreturn));
static double none(double x) {
    fprintf(stderr, "no value at %g\n", x);
    exit(1);
}

double f_stopped(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        if (x[i] < -1e9) stop("too small");
        s += x[i] > 1e9 ? none(x[i]) : x[i] * x[i];
    }
    return s;
}

/* A test of pointers of any type: an integer says what it leads to. */
static int missing(void *p, const char *name, int kind) {
    if (kind == 0 && p == NULL) {
        fprintf(stderr, "%s is not there\n", name);
        return 1;
    } else if (kind == 1) {
        int *status = (int *)p;
        if (*status < 0) return 1;
    } else if (kind == 2) {
        double *value = p;
        *value *= 2.0;
    }
    return 0;
}

double f_any_type(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    (void)w;
    for (int i = 0; i < n; i++) {
        int status = ia[i] - 1;
        if (missing(x + i, "x", 0)) return s;
        if (missing(&status, "status", 1)) s += x[i];
        missing(x + i, "x", 2);
        s += x[i] * s + x[i];
    }
    return s;
}
