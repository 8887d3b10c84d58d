/* The adjoint of one of the models: its time, the memory of the process, and its gradient, for a comparison.
 *
 *   program ROUNDS      prints: seconds of the quickest call, KB that calls took, sum of the gradient's absolute values */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include MODEL

static double *numbers(int count, double from, double by) {
    double *all = malloc(sizeof *all * (size_t)count);
    for (int i = 0; i < count; i++) all[i] = from + by * sin(1.7 * i);
    return all;
}

static double *zeros(int count) { return calloc((size_t)count, sizeof(double)); }

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long most(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

int main(int count, char **texts) {
    const long before = most();
    const int rounds = count > 1 ? atoi(texts[1]) : 5;
    double best = 1e9, sum = 0.0;
    for (int round = 0; round < rounds; round++) {
        double begun, *gradient;
        int size;
#if defined DENSE
        size = 200;
        double *p = numbers(size, 0.3, 1.0), *a = zeros(size * size), *a_b = zeros(size * size);
        double *x = zeros(size), *x_b = zeros(size);
        int *pivots = calloc((size_t)size, sizeof *pivots);
        gradient = zeros(size), begun = seconds();
        dense_b(size, 4, p, gradient, a, a_b, x, x_b, pivots, 1.0);
        free(p), free(a), free(a_b), free(x), free(x_b), free(pivots);
#elif defined HEAT
        const int m = 40;
        size = m * m;
        double *k = numbers(size, 1.0, 0.3), *u0 = numbers(size, 0.5, 0.4), *a = zeros(size * (m + 1));
        double *a_b = zeros(size * (m + 1)), *u = zeros(size), *u_b = zeros(size), *u0_b = zeros(size);
        gradient = zeros(size), begun = seconds();
        heat_b(m, 20, k, gradient, u0, u0_b, a, a_b, u, u_b, 1.0);
        free(k), free(u0), free(a), free(a_b), free(u), free(u_b), free(u0_b);
#elif defined LAYERS
        const int m = 256, n = 128, layers_of = 4;
        size = layers_of * m * m;
        double *w = numbers(size, 0.0, 0.1), *in = numbers(m * n, 0.0, 1.0), *x = zeros(m * n), *x_b = zeros(m * n);
        double *z = zeros(m * n), *z_b = zeros(m * n);
        gradient = zeros(size), begun = seconds();
        layers_b(m, n, layers_of, w, gradient, in, x, x_b, z, z_b, 1.0);
        free(w), free(in), free(x), free(x_b), free(z), free(z_b);
#else
        size = 24;
        double *y0 = numbers(size, 1.0, 0.5), p[4] = {1.0, 3.0, 0.4, 0.2}, p_b[4] = {0.0};
        gradient = zeros(size), begun = seconds();
        newton_b(60, y0, gradient, p, p_b, 1.0);
        for (int k = 0; k < 4; k++) gradient[k] += p_b[k];
        free(y0);
#endif
        const double taken = seconds() - begun;
        best = taken < best ? taken : best;
        sum = 0.0;
        for (int k = 0; k < size; k++) sum += fabs(gradient[k]);
        free(gradient);
    }
    printf("%.6f %ld %.12g\n", best, most() - before, sum);
    return 0;
}
