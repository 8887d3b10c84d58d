/* Functions in members of structs, in tables and in variables. */
#include <math.h>

struct law {
    double (*apply)(double, double);
    double scale;
};

static double square(double x, double by) {
    return x * x * by;
}

static double wave(double x, double by) {
    return sin(x * by);
}

static const struct law laws[2] = {{square, 1.5}, {.apply = wave, .scale = 0.5}};

double f_table(int n, double *x, int *ia, double *w) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        const struct law *law = &laws[ia[i] % 2];
        s += law->scale * law->apply(x[i], w[i]);
        x[i] = s;
    }
    return s;
}

struct function {
    double (*value)(double, void *);
    void *data;
};

struct curve {
    double p[2];
};

static double curve_at(double t, void *data) {
    const struct curve *curve = data;
    return curve->p[0] * exp(-curve->p[1] * t);
}

static double integral(const struct function *function, double from, double to, int steps) {
    double h = (to - from) / steps, s = 0.0;
    for (int i = 0; i < steps; i++) {
        s += h * function->value(from + (i + 0.5) * h, function->data);
    }
    return s;
}

double f_integral(int n, double *x, int *ia, double *w) {
    struct curve curve = {{x[0], x[1]}};
    struct function function;
    function.value = &curve_at;
    function.data = &curve;
    double s = integral(&function, 0.0, w[0], n + ia[0]);
    return s * s * x[2];
}

static double (*const steps[3])(double) = {sin, cos, exp};

double f_steps(int n, double *x, int *ia, double *w) {
    double (*last)(double, double) = wave;
    double s = w[0];
    for (int i = 0; i < n; i++) {
        s = steps[ia[i]](s * x[i]);
    }
    return last(s, x[1]);
}

static double applied(struct law law, double x) {
    return law.scale * law.apply(x, x);
}

double f_local(int n, double *x, int *ia, double *w) {
    struct law law = {square, x[0]};
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        struct law other = {.apply = wave, .scale = w[i]};
        s += law.apply(x[i], law.scale) * other.apply(x[i], other.scale);
        if (ia[i] == 0) {
            s += applied(other, x[i]);
        }
    }
    return s + applied(law, s);
}

/* The parts of an adjoint cancel each other. */
double f_cancelled(int n, double *x, int *ia, double *w);
double f_cancelled(int n, double *x, int *ia, double *w) {
    double s = w[0] + ia[0];
    for (int i = 0; i < n; i++) {
        s = 0.25 * s;
        s = (s - s) - x[0];
        x[1] = s;
        s = atan(x[2] * 3.0);
        x[2] = s - s;
    }
    return x[1];
}
