/* The state lies behind pointers in a struct, which functions advance; so do its extents. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

struct bath {
    double level, time;
    int steps;
};

struct rod {
    int size;
    double *u;
    const double *rates;
    struct bath *bath;
};

static void step(struct rod *rod, double dt) {
    double *u = rod->u, flow = 0.0;
    for (int i = 1; i < rod->size - 1; i++) {
        u[i] += dt * rod->rates[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * cos(rod->bath->level);
        flow += u[i] * u[i];
    }
    rod->bath->level += dt * flow * rod->bath->time;
    rod->bath->time += dt;
    rod->bath->steps++;
}

static void run(struct rod *rod, int steps) {
#pragma adjoint checkpoint snapshots=3
    for (int t = 0; t < steps; t++) step(rod, 0.05);
}

double f(int n, double *x, int *ia, double *w) {
    (void)ia;
    double s = 0.0;
    struct bath bath = {x[0], x[1], 0};
    struct rod rod = {9, w, x, &bath};
    run(&rod, n / 2);
    for (int i = 0; i < 9; i++) s += w[i] * w[i];
    return s * bath.level + bath.time * bath.steps;
}

void tables(int *ia) {
    ia[0] = 0;
}
