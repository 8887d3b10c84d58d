/* The gradient of a model on all ranks beside its tangent and difference quotients, in directions that differ from rank to rank. */
#include <adtape_mpi.h>
#include <math.h>
#include <stdio.h>
#include "model_b.h"

double model(int n, double *x);

enum { N = 12 };
static int me;

static double direction(int i, int which) {
    return which == 0 ? cos(i + 7.0 * me) : i == (5 * me + 3 * which) % N;
}

static void start(double *x, double e, int which) {
    for (int i = 0; i < N; i++) {
        x[i] = 1 + 0.3 * sin(1.3 * (i + me * N)) + e * direction(i, which);
    }
}

int main(int argc, char **argv) {
    const double h = 1e-6;
    double x[N], x_b[N] = {0}, x_d[N];
    int bad = 0;
    adtape_MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    start(x, 0, 0);
    model_b(N, x, x_b, me == 0);
    for (int which = 0; which < 4; which++) {
        double mine = 0, product, quotient, tangent = 0;
        for (int i = 0; i < N; i++) {
            x_d[i] = direction(i, which);
            mine += x_b[i] * x_d[i];
        }
#ifndef WITHOUT_TANGENT
        start(x, 0, 0);
        model_d(N, x, x_d, &tangent);
#endif
        MPI_Allreduce(&mine, &product, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#ifdef WITHOUT_TANGENT
        tangent = product;
#endif
        start(x, h, which);
        quotient = model(N, x);
        start(x, -h, which);
        quotient = (quotient - model(N, x)) / (2 * h);
        if (me == 0 && !(fabs(product - quotient) <= 1e-7 * (1 + fabs(quotient)) &&
                         fabs(product - tangent) <= 1e-11 * (1 + fabs(tangent)))) {
            printf("direction %d: %.15g, tangent %.15g, by differences %.12g\n", which, product, tangent, quotient);
            bad = 1;
        }
    }
    MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
    adtape_MPI_Finalize();
    return bad;
}
