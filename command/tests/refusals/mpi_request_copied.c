#include <mpi.h>
double f(int n, double *x, MPI_Comm comm) {
    MPI_Request begun, kept;
    MPI_Irecv(x, n, MPI_DOUBLE, 0, 0, comm, &begun);
    kept = begun;
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    return x[0] * x[1];
}
