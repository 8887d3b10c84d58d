#include <mpi.h>
double f(double *x, MPI_Comm comm) {
    double most;
    MPI_Allreduce(x, &most, 1, MPI_DOUBLE, MPI_MAXLOC, comm);
    return x[0] * most;
}
