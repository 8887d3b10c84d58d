/* A halo by messages that do not block, and that are waited for at once. */
#include <math.h>
#include <mpi.h>
static void exchange(int n, double *u, int left, int right, MPI_Comm comm) {
    MPI_Request r[4];
    MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 1, comm, &r[0]);
    MPI_Irecv(&u[n + 1], 1, MPI_DOUBLE, right, 0, comm, &r[1]);
    MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 0, comm, &r[2]);
    MPI_Isend(&u[n], 1, MPI_DOUBLE, right, 1, comm, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}
double model(int n, double *x) {
    int me, ranks;
    const int cells = n - 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = me > 0 ? me - 1 : MPI_PROC_NULL, right = me < ranks - 1 ? me + 1 : MPI_PROC_NULL;
    double s = 0, all, old[100];
    for (int t = 0; t < 5; t++) {
        exchange(cells, x, left, right, MPI_COMM_WORLD);
        for (int i = 0; i <= cells + 1; i++) old[i] = x[i];
        for (int i = 1; i <= cells; i++) x[i] = old[i] + 0.1 * (old[i + 1] - 2 * old[i] + old[i - 1]) * old[i];
    }
    for (int i = 1; i <= cells; i++) s += x[i] * x[i];
    MPI_Allreduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(all);
}
