/* Particles on a ring of ranks: forces of all pairs by blocks that travel around, and counts by Waitany. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

enum { STEPS = 3 };

struct particles {
    int count;
    double *at, *speed, *force;
};

static double pull(double from, double to) {
    double r = to - from;
    return r / (0.5 + r * r) / sqrt(1 + r * r);
}

static void forces(struct particles *p, double *block, double *next, int me, int ranks) {
    int left = (me + ranks - 1) % ranks, right = (me + 1) % ranks;
    for (int i = 0; i < p->count; i++) {
        block[i] = p->at[i];
        p->force[i] = 0;
    }
    for (int turn = 0; turn < ranks; turn++) {
        for (int i = 0; i < p->count; i++) {
            for (int j = 0; j < p->count; j++) {
                if (turn > 0 || i != j) p->force[i] += pull(p->at[i], block[j]);
            }
        }
        MPI_Sendrecv(block, p->count, MPI_DOUBLE, right, turn, next, p->count, MPI_DOUBLE, left, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < p->count; i++) block[i] = next[i];
    }
}

/* The energies of all ranks, in the order in which they come. */
static double energies(double own, int me, int ranks) {
    MPI_Request requests[16];
    double in[16], sum = own * own;
    int index, begun = 0;
    for (int r = 0; r < ranks; r++) {
        if (r != me) MPI_Irecv(&in[r], 1, MPI_DOUBLE, r, 99, MPI_COMM_WORLD, &requests[r]);
        else requests[r] = MPI_REQUEST_NULL;
        begun += r != me;
    }
    for (int r = 0; r < ranks; r++) {
        if (r != me) MPI_Send(&own, 1, MPI_DOUBLE, r, 99, MPI_COMM_WORLD);
    }
    while (begun > 0) {
        MPI_Waitany(ranks, requests, &index, MPI_STATUS_IGNORE);
        sum += in[index] * own * (1 + 0.1 * index);
        begun--;
    }
    return sum;
}

double model(int n, double *x) {
    int me, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct particles p;
    p.count = n / 2;
    p.at = malloc(p.count * sizeof(double));
    p.speed = malloc(p.count * sizeof(double));
    p.force = malloc(p.count * sizeof(double));
    double *block = malloc(p.count * sizeof(double)), *next = malloc(p.count * sizeof(double));
    for (int i = 0; i < p.count; i++) {
        p.at[i] = x[i] + 0.7 * i + me;
        p.speed[i] = x[p.count + i];
    }
    for (int t = 0; t < STEPS; t++) {
        forces(&p, block, next, me, ranks);
        for (int i = 0; i < p.count; i++) {
            p.speed[i] += 0.05 * p.force[i];
            p.at[i] += 0.1 * p.speed[i];
        }
    }
    double energy = 0;
    for (int i = 0; i < p.count; i++) energy += 0.5 * p.speed[i] * p.speed[i];
    double sum = energies(energy, me, ranks), all;
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    free(p.at);
    free(p.speed);
    free(p.force);
    free(block);
    free(next);
    return me == 0 ? all : 0;
}
