/* A state in a block, in a global array of two dimensions and in structs. */
#include <math.h>
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

struct cell {
    double level, flow[2];
    int age;
};

static double field[3][4];

static void step(struct cell *cells, int t, double rate) {
    for (int i = 0; i < 3; i++) {
        cells[i].level += 0.1 * cells[i].flow[t % 2] * rate;
        cells[i].flow[t % 2] = sin(cells[i].level);
        cells[i].age++;
        for (int j = 0; j < 4; j++) field[i][j] = 0.9 * field[i][j] + 0.1 * cells[i].flow[0] * field[2 - i][3 - j];
    }
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double s = 0.0, *u = malloc((size_t)n * sizeof *u);
    struct cell cells[3];
    for (int i = 0; i < 3; i++) {
        cells[i].level = x[i];
        cells[i].flow[0] = x[i + 3];
        cells[i].flow[1] = x[i + 6];
        cells[i].age = i;
        for (int j = 0; j < 4; j++) field[i][j] = x[9 + 4 * i + j];
    }
    for (int i = 0; i < n; i++) u[i] = 0.0;
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < 23; t++) {
        step(cells, t, x[t]);
        u[t] += cells[1].level * field[1][2] * (cells[0].age % 3);
        if (t > 0) u[t] += 0.1 * sin(u[t - 1]);
    }
    for (int i = 0; i < n; i++) s += u[i];
    free(u);
    return s + cells[2].flow[1] * field[0][0];
}

void tables(int *ia) {
    ia[0] = 0;
}
