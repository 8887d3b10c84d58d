#include <mpi.h>
double f(int n, const double *x, MPI_Op compose) {
    double own = x[0] * x[n - 1], all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, compose, MPI_COMM_WORLD);
    return all * all;
}
