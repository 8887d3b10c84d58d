#include <mpi.h>
static void begin(int n, double *to, MPI_Request *request, MPI_Comm comm) {
    MPI_Irecv(to, n, MPI_DOUBLE, 0, 0, comm, request);
}
double f(int n, double *x, MPI_Comm comm) {
    MPI_Request request;
    begin(n, x, &request, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return x[0] * x[1];
}
