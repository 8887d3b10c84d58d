#include <math.h>
#include <stdlib.h>
#include <mpi.h>
/* Blocking calls between two ranks and among all. */
double model(int n, double *x) {
    int me, ranks, ints[4] = {1, 2, 3, 4};
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &ranks);
    double sum = 0, all[8], mine[3], most;
    float y[2] = {0.5F, 1.5F};
    MPI_Status status;
    double got = 0.5;
    if (ranks > 1) {
        if (me % 2 == 0) {
            MPI_Send(&x[0], 1, MPI_DOUBLE, (me + 1) % ranks, 3, comm);
            MPI_Recv(&got, 1, MPI_DOUBLE, (me + ranks - 1) % ranks, 3, comm, &status);
        } else {
            MPI_Recv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 3, comm, &status);
            MPI_Ssend(&x[0], 1, MPI_DOUBLE, (me + 1) % ranks, 3, comm);
        }
        sum += got * got * (1 + 0.1 * status.MPI_SOURCE);
    }
    x[0] = x[0] * got;
    MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; i++) x[i] = sin(x[i] + 0.1 * me);
    MPI_Allreduce(&x[1], &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    sum += most * most;
    MPI_Reduce(x, all, 3, MPI_DOUBLE, MPI_PROD, 0, comm);
    double own = x[1] * x[2];
    MPI_Reduce(me == (ranks > 1) ? MPI_IN_PLACE : &own, &own, 1, MPI_DOUBLE, MPI_SUM, ranks > 1, comm);
    sum += own * own;
    if (me == 0) sum += all[0] * all[1] + all[2];
    MPI_Bcast(ints, 4, MPI_INT, 0, comm);
    double *gathered = malloc((size_t)(2 * ranks) * sizeof *gathered);
    for (int i = 0; i < 2 * ranks; i++) gathered[i] = 0.1 * i * x[3];
    MPI_Gather(&x[2], 2, MPI_DOUBLE, me == 0 ? gathered : NULL, 2, MPI_DOUBLE, 0, comm);
    if (me == 0) {
        for (int i = 0; i < 2 * ranks; i++) gathered[i] = gathered[i] * gathered[i] * ints[1];
    }
    MPI_Scatter(gathered, 2, MPI_DOUBLE, mine, 2, MPI_DOUBLE, 0, comm);
    sum += mine[0] * mine[1];
    int *counts = malloc((size_t)ranks * sizeof *counts), *places = malloc((size_t)ranks * sizeof *places), total = 0;
    for (int r = 0; r < ranks; r++) {
        counts[r] = 1 + r % 2;
        places[r] = total;
        total += counts[r];
    }
    double *parts = malloc((size_t)total * sizeof *parts);
    MPI_Allgatherv(&x[1], counts[me], MPI_DOUBLE, parts, counts, places, MPI_DOUBLE, comm);
    for (int i = 0; i < total; i++) sum += parts[i] * parts[i] * parts[i];
    MPI_Alltoall(gathered, 1, MPI_DOUBLE, parts, 1, MPI_DOUBLE, comm);
    for (int r = 0; r < ranks; r++) sum += parts[r] * (r + 1) * x[0];
    MPI_Allreduce(MPI_IN_PLACE, y, 2, MPI_FLOAT, MPI_SUM, comm);
    sum += y[0] * (double)y[1];
    MPI_Barrier(comm);
    double before = 0;
    MPI_Scan(&sum, &before, 1, MPI_DOUBLE, MPI_SUM, comm);
    sum += 0.01 * before * before;
    double whole;
    MPI_Reduce(&sum, &whole, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Bcast(&whole, 1, MPI_DOUBLE, 0, comm);
    free(gathered);
    free(counts);
    free(places);
    free(parts);
    return whole;
}
