/* A struct with pointers to local arrays, structs in an array, and a plane whose extents are values. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

struct box {
    int size;
    double *u;
    unsigned seed;
    double sum[2];
};

struct cell {
    double flow[2], level;
    int age;
};

static void diffuse(int rows, int columns, double *u, const double *rates, int steps) {
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                const int at = i * columns + j;
                u[at] += 0.1 * rates[t] * sin(u[at]) * (j > 0 ? u[at - 1] : 1.0);
            }
        }
    }
}

static void flow(int size, struct cell *cells, int steps) {
#pragma adjoint checkpoint snapshots=2
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < size; i++) {
            cells[i].flow[t % 2] += 0.1 * cells[i].level * cells[i].level;
            cells[i].level -= 0.1 * cells[i].flow[cells[i].age % 2];
            cells[i].age++;
        }
    }
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = 0.0, u[4] = {x[0], x[1], x[2], x[3]};
    struct box box = {4, u, 1, {0.0, 0.0}};
    struct cell cells[3] = {{{x[4], x[5]}, x[6], 0}, {{x[7], x[8]}, x[9], 1}, {{0.1, 0.2}, 0.3, 2}};
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < 7; t++) {
        for (int i = 0; i < box.size; i++) {
            box.seed = box.seed * 1103515245u + 12345u;
            box.u[i] += 1e-5 * (box.seed >> 16) * box.u[i] * x[t];
            box.sum[t % 2] += box.u[i] * box.u[i];
        }
    }
    diffuse(2, 3, w, x, 5);
    diffuse(2, -3, w, x, 2);
    flow(3, cells, n / 10);
    for (int i = 0; i < 6; i++) s += w[i] * w[i];
    return s + box.sum[0] * box.sum[1] + cells[0].level * cells[1].flow[1];
}

void tables(int *ia) {
    ia[0] = 0;
}
