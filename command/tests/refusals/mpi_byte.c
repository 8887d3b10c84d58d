#include <mpi.h>
double f(int n, const double *x) {
    double own = x[0] * x[n - 1], other = 0.0;
    MPI_Sendrecv(&own, sizeof own, MPI_BYTE, 0, 0, &other, sizeof other, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return own * other;
}
