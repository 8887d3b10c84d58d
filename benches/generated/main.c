/* The time of generated adjoints beside those written by hand, and of the models alone: for each model and round a line
 *
 *   NAME generated_ns by_hand_ns model_ns
 *
 * Both adjoints run one after the other in each round and must find one gradient; otherwise the program says which and
 * fails. The first round, which touches the memory, is not printed. */
#include "addresses_b.h"
#include "bundle_b.h"
#include "burgers_b.h"
#include "clock.h"
#include "hand.h"
#include "heat_b.h"

#include <adtape.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The models, which the generated files include. */
double burgers(int n, int steps, double dt, double *u, double *next);
double heat(int n, int m, int steps, double dt, const double *k, const double *data, double *u, double *next);
double bundle(int observations, const int *camera_of, const int *point_of, const double *found, const double *camera,
              const double *point, const double *weight);
double addresses(int steps, const double *p, double *a);

static int failures;

static double *numbers(size_t count) {
    double *x = calloc(count, sizeof *x);
    if (x == NULL) {
        fprintf(stderr, "no memory for %zu numbers\n", count);
        exit(2);
    }
    return x;
}

/* The k-th of a sequence spread evenly over [0, 1). */
static double spread(size_t k) {
    const double turns = (double)k * 0.618033988749894903;
    return turns - floor(turns);
}

static void compare(const char *name, const double *generated, const double *by_hand, size_t count) {
    double largest = 0.0, apart = 0.0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(by_hand[i]));
        apart = fmax(apart, fabs(generated[i] - by_hand[i]));
    }
    if (!(apart <= 1e-11 * largest)) {
        fprintf(stderr, "%s: the gradients differ by %g of %g\n", name, apart, largest);
        failures++;
    }
}

/* Times two adjoints and the model, and prints the times, but for round 0. */
#define ROUND(name, generated, by_hand, model)                                            \
    do {                                                                                  \
        double times[4] = {nanoseconds()};                                                \
        generated;                                                                        \
        times[1] = nanoseconds();                                                         \
        by_hand;                                                                          \
        times[2] = nanoseconds();                                                         \
        computed = model;                                                                 \
        times[3] = nanoseconds();                                                         \
        if (round == 0) break;                                                            \
        printf("%s", name);                                                               \
        for (int part = 0; part < 3; part++) printf(" %.0f", times[part + 1] - times[part]); \
        printf("\n");                                                                     \
    } while (0)

static void burgers_rounds(int rounds, int n, int steps) {
    const size_t bytes = (size_t)n * sizeof(double);
    double *start = numbers(n), *u[2], *u_b[2], *next = numbers(n), *next_b = numbers(n);
    double *kept = numbers((size_t)(steps + 1) * n);
    for (int side = 0; side < 2; side++) u[side] = numbers(n), u_b[side] = numbers(n);
    for (int i = 0; i < n; i++) start[i] = sin(0.001 * i) + 0.1 * spread(i);
    for (int round = 0; round <= rounds; round++) {
        for (int side = 0; side < 2; side++) {
            memcpy(u[side], start, bytes);
            memset(u_b[side], 0, bytes);
        }
        ROUND("burgers", burgers_b(n, steps, 0.1, u[0], u_b[0], next, next_b, 1.0),
              burgers_by_hand(n, steps, 0.1, u[1], u_b[1], next, next_b, kept),
              burgers(n, steps, 0.1, memcpy(u[1], start, bytes), next));
        compare("burgers", u_b[0], u_b[1], n);
    }
    for (int side = 0; side < 2; side++) free(u[side]), free(u_b[side]);
    free(start), free(next), free(next_b), free(kept);
}

static void heat_rounds(int rounds, int n, int m, int steps) {
    const size_t cells = (size_t)n * m, bytes = cells * sizeof(double);
    double *start = numbers(cells), *k = numbers(cells), *data = numbers(cells), *u[2], *u_b[2], *k_b[2];
    double *next = numbers(cells), *next_b = numbers(cells), *kept = numbers((steps + 1) * cells);
    for (int side = 0; side < 2; side++) u[side] = numbers(cells), u_b[side] = numbers(cells), k_b[side] = numbers(cells);
    for (size_t c = 0; c < cells; c++) {
        start[c] = spread(c);
        k[c] = 0.5 + spread(c + 7);
        data[c] = 0.5;
    }
    for (int round = 0; round <= rounds; round++) {
        for (int side = 0; side < 2; side++) {
            memcpy(u[side], start, bytes);
            memset(u_b[side], 0, bytes);
            memset(k_b[side], 0, bytes);
        }
        ROUND("heat", heat_b(n, m, steps, 0.05, k, k_b[0], data, u[0], u_b[0], next, next_b, 1.0),
              heat_by_hand(n, m, steps, 0.05, k, k_b[1], data, u[1], u_b[1], next, next_b, kept),
              heat(n, m, steps, 0.05, k, data, memcpy(u[1], start, bytes), next));
        compare("heat, state", u_b[0], u_b[1], cells);
        compare("heat, conductivity", k_b[0], k_b[1], cells);
    }
    for (int side = 0; side < 2; side++) free(u[side]), free(u_b[side]), free(k_b[side]);
    free(start), free(k), free(data), free(next), free(next_b), free(kept);
}

static void bundle_rounds(int rounds, int cameras, int points, int observations) {
    const size_t sizes[3] = {11 * (size_t)cameras, 3 * (size_t)points, (size_t)observations};
    double *camera = numbers(sizes[0]), *point = numbers(sizes[1]), *weight = numbers(sizes[2]);
    double *found = numbers(2 * (size_t)observations), *adjoint[3][2];
    int *camera_of = malloc((size_t)observations * sizeof *camera_of);
    int *point_of = malloc((size_t)observations * sizeof *point_of);
    sight_t *kept = malloc((size_t)observations * sizeof *kept);
    if (camera_of == NULL || point_of == NULL || kept == NULL) exit(2);
    for (int input = 0; input < 3; input++) {
        for (int side = 0; side < 2; side++) adjoint[input][side] = numbers(sizes[input]);
    }
    for (int c = 0; c < cameras; c++) {
        for (int i = 0; i < 11; i++) camera[11 * c + i] = 0.1 * spread(11 * c + i);
        camera[11 * c + 5] = -5.0;
        camera[11 * c + 6] = 500.0;
    }
    for (int i = 0; i < 3 * points; i++) point[i] = 2.0 * spread(i) - 1.0;
    for (int o = 0; o < observations; o++) {
        camera_of[o] = o % cameras;
        point_of[o] = (int)(spread(o) * points);
        weight[o] = 0.5 + spread(o + 3);
        found[2 * o] = 100.0 * spread(o + 1);
        found[2 * o + 1] = 100.0 * spread(o + 2);
    }
    for (int round = 0; round <= rounds; round++) {
        for (int input = 0; input < 3; input++) {
            for (int side = 0; side < 2; side++) memset(adjoint[input][side], 0, sizes[input] * sizeof(double));
        }
        ROUND("bundle",
              bundle_b(observations, camera_of, point_of, found, camera, adjoint[0][0], point, adjoint[1][0], weight,
                       adjoint[2][0], 1.0),
              bundle_by_hand(observations, camera_of, point_of, found, camera, adjoint[0][1], point, adjoint[1][1],
                             weight, adjoint[2][1], kept),
              bundle(observations, camera_of, point_of, found, camera, point, weight));
        compare("bundle, cameras", adjoint[0][0], adjoint[0][1], sizes[0]);
        compare("bundle, points", adjoint[1][0], adjoint[1][1], sizes[1]);
        compare("bundle, weights", adjoint[2][0], adjoint[2][1], sizes[2]);
    }
    for (int input = 0; input < 3; input++) free(adjoint[input][0]), free(adjoint[input][1]);
    free(camera), free(point), free(weight), free(found), free(camera_of), free(point_of), free(kept);
}

static void addresses_rounds(int rounds, int steps) {
    const size_t count = (size_t)steps + 500, bytes = count * sizeof(double);
    double p[82], *start = numbers(count), *a[2], *a_b[2];
    for (int side = 0; side < 2; side++) a[side] = numbers(count), a_b[side] = numbers(count);
    /* Products neither grow nor linger near 0: all are 1 at first, and 0 soon behind the first steps. */
    for (int k = 0; k < 82; k++) p[k] = 1.0;
    for (size_t i = 0; i < count; i++) start[i] = i < 500 ? 1.0 : 1.0 - 0.1 * spread(i);
    for (int round = 0; round <= rounds; round++) {
        for (int side = 0; side < 2; side++) {
            memcpy(a[side], start, bytes);
            memset(a_b[side], 0, bytes);
        }
        ROUND("addresses", addresses_b(steps, p, a[0], a_b[0], 1.0),
              computed = addresses_storing_all(steps, p, a[1], a_b[1]),
              addresses(steps, p, memcpy(a[1], start, bytes)));
        compare("addresses", a_b[0], a_b[1], count);
    }
    for (int side = 0; side < 2; side++) free(a[side]), free(a_b[side]);
    free(start);
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 15;
    burgers_rounds(rounds, 100000, 100);
    heat_rounds(rounds, 300, 300, 100);
    bundle_rounds(rounds, 100, 10000, 200000);
    addresses_rounds(rounds, 300000);
    return failures != 0;
}
