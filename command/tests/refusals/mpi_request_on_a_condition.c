#include <mpi.h>
static void exchange(int n, double *u, int left, int right, MPI_Comm comm) {
    MPI_Request requests[4];
    int count = 0;
    if (left >= 0) {
        MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 0, comm, &requests[count++]);
        MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 0, comm, &requests[count++]);
    }
    if (right >= 0) {
        MPI_Irecv(&u[n - 1], 1, MPI_DOUBLE, right, 0, comm, &requests[count++]);
        MPI_Isend(&u[n - 2], 1, MPI_DOUBLE, right, 0, comm, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}
double f(int n, double *x, int left, int right, MPI_Comm comm) {
    exchange(n, x, left, right, comm);
    return x[0] * x[n - 1];
}
