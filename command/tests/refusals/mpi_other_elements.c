#include <mpi.h>
double f(int n, double *x, MPI_Comm comm) {
    MPI_Bcast(x, n, MPI_FLOAT, 0, comm);
    return x[0] * x[1];
}
