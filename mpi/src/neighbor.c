/* neighbor.c: Neighbor_allgather, Neighbor_alltoall, and those with counts, on Cartesian communicators. Each rank has two
 * neighbours a dimension, which have it as theirs: so the reverse is an exchange with them, too. A block of a neighbour
 * that is not there (MPI_PROC_NULL) is not touched, nor is its adjoint. The record has the number of neighbours.
 *
 * Where both neighbours of a dimension are one rank, MPIs differ in whose block is whose, and may differ between calls.
 * So the reverse of Neighbor_alltoall is made with that call, and of Neighbor_alltoallv with that. */

/* How many; `are_there`: which. */
static int neighbors_of(MPI_Comm handle, enum operation operation, bool **are_there, const void *site) {
    int kind = 0, dimensions = 0;
    (void)MPI_Topo_test(handle, &kind);
    if (kind != MPI_CART) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "%s on a communicator that is not Cartesian\n  adtape_mpi reverses it on those of adtape_MPI_Cart_create",
             operation_names[operation]);
    }
    (void)MPI_Cartdim_get(handle, &dimensions);
    *are_there = allocate((size_t)(2 * dimensions), site);
    for (int i = 0; i < dimensions; i++) {
        int lower = 0, upper = 0;
        (void)MPI_Cart_shift(handle, i, 1, &lower, &upper);
        (*are_there)[2 * i] = lower != MPI_PROC_NULL;
        (*are_there)[2 * i + 1] = upper != MPI_PROC_NULL;
    }
    return 2 * dimensions;
}

/* Blocks of the neighbours that are there. */
static struct side side_among(const void *buffer, int neighbors, const bool *are_there, int count, const int *counts,
                              const int *displacements, MPI_Datatype type, const void *site) {
    struct side side;
    side.blocks = blocks_of(neighbors, count, counts, displacements, layout_of(type, site), site);
    for (int i = 0; i < neighbors; i++) {
        side.blocks.values[i] = are_there[i] ? side.blocks.values[i] : 0;
    }
    side.draft = draft_blocks(buffer, type, &side.blocks, site);
    return side;
}

API int adtape_MPI_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    bool *are_there;
    const int n = neighbors_of(comm_, OP_Neighbor_allgather, &are_there, SITE);
    struct side got = side_among(recvbuf, n, are_there, recvcount, NULL, NULL, recvtype, SITE);
    struct side given = side_new(sendbuf, 1, sendcount, NULL, NULL, sendtype, SITE);
    free(are_there);
    return exchanged_among(MPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_),
                           OP_Neighbor_allgather, &given, &got, comm, -1, n, SITE);
}

API int adtape_MPI_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                       const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                       MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    bool *are_there;
    const int n = neighbors_of(comm_, OP_Neighbor_allgatherv, &are_there, SITE);
    struct side got = side_among(recvbuf, n, are_there, 0, recvcounts, displs, recvtype, SITE);
    struct side given = side_new(sendbuf, 1, sendcount, NULL, NULL, sendtype, SITE);
    free(are_there);
    return exchanged_among(
        MPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm_),
        OP_Neighbor_allgatherv, &given, &got, comm, -1, n, SITE);
}

API int adtape_MPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    bool *are_there;
    const int n = neighbors_of(comm_, OP_Neighbor_alltoall, &are_there, SITE);
    struct side got = side_among(recvbuf, n, are_there, recvcount, NULL, NULL, recvtype, SITE);
    struct side given = side_among(sendbuf, n, are_there, sendcount, NULL, NULL, sendtype, SITE);
    free(are_there);
    return exchanged_among(MPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_),
                           OP_Neighbor_alltoall, &given, &got, comm, -1, n, SITE);
}

API int adtape_MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                      MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                                      MPI_Datatype recvtype, MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    bool *are_there;
    const int n = neighbors_of(comm_, OP_Neighbor_alltoallv, &are_there, SITE);
    struct side got = side_among(recvbuf, n, are_there, 0, recvcounts, rdispls, recvtype, SITE);
    struct side given = side_among(sendbuf, n, are_there, 0, sendcounts, sdispls, sendtype, SITE);
    free(are_there);
    return exchanged_among(MPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                                  recvtype, comm_),
                           OP_Neighbor_alltoallv, &given, &got, comm, -1, n, SITE);
}

DEFINE_BLOCKS_(Neighbor_allgather, NEIGHBOR_ALLGATHER)
DEFINE_BLOCKS_(Neighbor_allgatherv, NEIGHBOR_ALLGATHER)
DEFINE_BLOCKS_(Neighbor_alltoall, NEIGHBOR_ALLTOALL)
DEFINE_BLOCKS_(Neighbor_alltoallv, NEIGHBOR_ALLTOALLV)
