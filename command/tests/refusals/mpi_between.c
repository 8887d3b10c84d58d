int MPI_Allreduce(const void *from, void *to, int count, int type, int operation, int all);
double f(int n, const double *x) {
    double own = x[0] * x[n - 1], sum;
    MPI_Allreduce(&own, &sum, 1, 1, 1, 1);
    return sum * sum;
}
