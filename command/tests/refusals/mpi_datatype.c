#include <mpi.h>
double f(int n, double *x, MPI_Datatype column, MPI_Comm comm) {
    double all[8];
    MPI_Gather(x, 1, column, all, n, MPI_DOUBLE, 0, comm);
    return all[0] * all[n - 1];
}
