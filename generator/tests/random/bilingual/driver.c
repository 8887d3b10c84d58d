/* Runs programs that exist in Fortran and in C: values, tangents and adjoints of the two must agree, and the tangents with
 * the adjoints. One line for each program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, DATA = 3, LONGEST = 2 * MOST + 6 };

typedef void values_t(const int *n, double *x, double *y, double *z);
typedef void derivatives_t(const int *n, double *x, double *x1, double *y, double *y1, double *z, double *z1);

struct language {
    values_t *values;
    derivatives_t *tangent, *adjoint;
    /* Variables of the module: values, tangents, adjoints. */
    double *g[3], *gw[3];
};

struct program {
    int seed;
    struct language in[2];
};

/* Variables of a program, one behind the other: x, y, z, g, gw. */
static void scatter(const struct language *in, int which, int n, const double *from, double *x, double *y, double *z) {
    memcpy(x, from, n * sizeof *x);
    memcpy(y, from + n, n * sizeof *y);
    *z = from[2 * n];
    *in->g[which] = from[2 * n + 1];
    memcpy(in->gw[which], from + 2 * n + 2, 4 * sizeof *from);
}

static void gather(const struct language *in, int which, int n, double *to, const double *x, const double *y, const double *z) {
    memcpy(to, x, n * sizeof *x);
    memcpy(to + n, y, n * sizeof *y);
    to[2 * n] = *z;
    to[2 * n + 1] = *in->g[which];
    memcpy(to + 2 * n + 2, in->gw[which], 4 * sizeof *to);
}

static double random_real(unsigned long *state) {
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (double)(*state >> 40) / (1 << 23) - 1.0;
}

static int differ(const char *what, int seed, int n, const double *a, const double *b, double allowed) {
    double largest = 1.0;
    for (int i = 0; i < 2 * n + 6; i++) {
        largest = fmax(largest, fmax(fabs(a[i]), fabs(b[i])));
    }
    for (int i = 0; i < 2 * n + 6; i++) {
        if (!(fabs(a[i] - b[i]) <= allowed * largest)) {
            printf("%d wrong: %s: n %d, place %d: %.17g in Fortran, %.17g in C\n", seed, what, n, i, a[i], b[i]);
            return 1;
        }
    }
    return 0;
}

static double product(int count, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Whether values are of a size that derivatives can be compared with. */
static int is_tame(int count, const double *values) {
    for (int i = 0; i < count; i++) {
        if (!(fabs(values[i]) < 1e6)) {
            return 0;
        }
    }
    return 1;
}

static const char *compare(const struct program *p, unsigned long data) {
    static const int lengths[DATA] = {5, 3, 6};
    const int n = lengths[data];
    unsigned long state = 7919ul * (unsigned long)p->seed + data;
    double start[LONGEST], direction[LONGEST], weights[LONGEST];
    double values[2][LONGEST], tangent[2][LONGEST], again[2][LONGEST], adjoint[2][LONGEST];
    const int count = 2 * n + 6;
    for (int i = 0; i < count; i++) {
        start[i] = random_real(&state);
        direction[i] = random_real(&state);
        weights[i] = random_real(&state);
    }
    for (int l = 0; l < 2; l++) {
        const struct language *in = &p->in[l];
        double x[MOST], y[MOST], z, x1[MOST], y1[MOST], z1;
        scatter(in, 0, n, start, x, y, &z);
        in->values(&n, x, y, &z);
        gather(in, 0, n, values[l], x, y, &z);
        if (!is_tame(count, values[l])) {
            return "wild";
        }
        scatter(in, 0, n, start, x, y, &z);
        scatter(in, 1, n, direction, x1, y1, &z1);
        in->tangent(&n, x, x1, y, y1, &z, &z1);
        gather(in, 0, n, again[l], x, y, &z);
        gather(in, 1, n, tangent[l], x1, y1, &z1);
        scatter(in, 0, n, start, x, y, &z);
        scatter(in, 2, n, weights, x1, y1, &z1);
        in->adjoint(&n, x, x1, y, y1, &z, &z1);
        gather(in, 2, n, adjoint[l], x1, y1, &z1);
    }
    if (!is_tame(count, tangent[1]) || !is_tame(count, adjoint[1])) {
        return "wild";
    }
    if (differ("values", p->seed, n, values[0], values[1], 1e-14) ||
        differ("values of the tangent in Fortran", p->seed, n, again[0], values[0], 0.0) ||
        differ("values of the tangent in C", p->seed, n, again[1], values[1], 0.0) ||
        differ("tangents", p->seed, n, tangent[0], tangent[1], 1e-11) ||
        differ("adjoints", p->seed, n, adjoint[0], adjoint[1], 1e-11)) {
        return NULL;
    }
    const double along = product(count, weights, tangent[0]), back = product(count, direction, adjoint[0]);
    double size = 1.0;
    for (int i = 0; i < count; i++) {
        size += fabs(weights[i] * tangent[0][i]) + fabs(direction[i] * adjoint[0][i]);
    }
    if (!(fabs(along - back) <= 1e-11 * size)) {
        printf("%d wrong: products: n %d: %.17g along, %.17g back\n", p->seed, n, along, back);
        return NULL;
    }
    return "right";
}

extern const struct program programs[];
extern const int program_count;

/* From a program on: one that ends the process has no line. */
int main(int argc, char **argv) {
    for (int i = argc > 1 ? atoi(argv[1]) : 0; i < program_count; i++) {
        const char *outcome = "right";
        for (unsigned long data = 0; data < DATA && outcome != NULL; data++) {
            const char *one = compare(&programs[i], data);
            outcome = one == NULL || strcmp(outcome, "wild") != 0 ? one : outcome;
        }
        if (outcome != NULL) {
            printf("%d %s\n", programs[i].seed, outcome);
        }
        fflush(stdout);
    }
    return 0;
}
