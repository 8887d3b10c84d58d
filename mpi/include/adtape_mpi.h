/* adtape_mpi.h: the adjoint of a program on many ranks, over the program's own MPI.
 *
 *   forward sweep:  adtape_MPI_Send(x, n, MPI_DOUBLE, 1, 0, comm);      reverse sweep:  adtape_MPI_Send_b();
 *
 * A forward call has the name of MPI's with adtape_ in front and MPI's arguments, does what MPI's does, returns what it
 * returns, and leaves one record on the calling thread's tape, also for MPI_PROC_NULL and for what has no derivative.
 * Its reverse call, with _b behind the name, pops that record and takes no argument. Reverse calls come in the mirrored
 * order of the forward calls, mixed with pushes and pops as the program needs them.
 *
 * Where the adjoint of a buffer is comes from adtape's addresses: the buffer lies in a range of adtape_live_add, and in
 * the reverse sweep that range has an adjoint of its own type and layout. A range without one has no derivative; the
 * partner's adjoint is zero then. A buffer in no range is an error of the reverse call; the form with _b_at takes the
 * adjoints of the buffers instead, NULL for one that has none.
 *
 * What is sent is float or double, complex numbers of them, and types derived from these. Integers and bytes have no
 * derivative and are sent only; in a buffer that has an adjoint they are an error.
 *
 * Errors of forward calls that MPI finds are returned as MPI's are. All others go to adtape's error handler, as those
 * of pushes and pops do. ADTAPE_CHECK=1 on one rank is check mode on all: partners compare what they reverse, and a
 * message that does not come within ADTAPE_MPI_TIMEOUT seconds (300) is an error. docs/mpi.md has all of this.
 *
 * One thread at a time calls (MPI_THREAD_SERIALIZED), and a call is reversed on the thread that made it. */
#ifndef ADTAPE_MPI_H
#define ADTAPE_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- beginning, end, communicators: they leave no record and have no reverse --------------------------------- */

/* MPI_Init, and the library's own beginning. Where MPI is initialised already, only that. Collective on all ranks. */
int adtape_MPI_Init(int *argc, char ***argv);
/* MPI_Init_thread, likewise; provides MPI_THREAD_SERIALIZED at most. */
int adtape_MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
/* The library's end, and MPI_Finalize. */
int adtape_MPI_Finalize(void);

/* Communicators that the other calls take: MPI_COMM_WORLD, MPI_COMM_SELF, those made by these calls, and those that
 * are adopted. Each has a duplicate, on which adjoints travel. MPI_Comm_free may come before the reverse sweep. */
int adtape_MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int adtape_MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
int adtape_MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm);
int adtape_MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm);
int adtape_MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm);
int adtape_MPI_Cart_create(MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder,
                           MPI_Comm *comm_cart);
int adtape_MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm);
/* Takes a communicator that was made otherwise, by a library for instance. Collective on its ranks. */
void adtape_mpi_adopt(MPI_Comm comm);

/* ---- between two ranks ----------------------------------------------------------------------------------------- */

/* Send, Ssend, Bsend. The reverse receives the adjoint of what was sent, and adds it up. */
int adtape_MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
void adtape_MPI_Send_b(void);
void adtape_MPI_Send_b_at(void *buf_b);
int adtape_MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
void adtape_MPI_Ssend_b(void);
void adtape_MPI_Ssend_b_at(void *buf_b);
int adtape_MPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
void adtape_MPI_Bsend_b(void);
void adtape_MPI_Bsend_b_at(void *buf_b);

/* Recv. The reverse sends the adjoint of what was received, which is zero then, and does not wait. */
int adtape_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                    MPI_Status *status);
void adtape_MPI_Recv_b(void);
void adtape_MPI_Recv_b_at(void *buf_b);

/* Sendrecv, Sendrecv_replace: both at once. */
int adtape_MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                        void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                        MPI_Status *status);
void adtape_MPI_Sendrecv_b(void);
void adtape_MPI_Sendrecv_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                                int recvtag, MPI_Comm comm, MPI_Status *status);
void adtape_MPI_Sendrecv_replace_b(void);
void adtape_MPI_Sendrecv_replace_b_at(void *buf_b);

/* Isend. The reverse waits for the adjoint that the reverse of its wait has asked for, and adds it up. */
int adtape_MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                     MPI_Request *request);
void adtape_MPI_Isend_b(void);
void adtape_MPI_Isend_b_at(void *buf_b);

/* Irecv. The reverse waits until the adjoint that the reverse of its wait sends is on its way; then it is zero. */
int adtape_MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                     MPI_Request *request);
void adtape_MPI_Irecv_b(void);

/* Requests that are started again and again. Those calls that make and free one leave no record and have no reverse.
 * Start and Startall do what Isend and Irecv do, and so do their reverse calls. The adjoints given to Startall_b_at are
 * those of sends, in the order of the requests; those of receives are ignored. */
int adtape_MPI_Send_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                         MPI_Request *request);
int adtape_MPI_Ssend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                          MPI_Request *request);
int adtape_MPI_Bsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                          MPI_Request *request);
int adtape_MPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                         MPI_Request *request);
int adtape_MPI_Request_free(MPI_Request *request);
int adtape_MPI_Start(MPI_Request *request);
void adtape_MPI_Start_b(void);
void adtape_MPI_Start_b_at(void *buf_b);
int adtape_MPI_Startall(int count, MPI_Request array_of_requests[]);
void adtape_MPI_Startall_b(void);
void adtape_MPI_Startall_b_at(void *const bufs_b[]);

/* Wait, Waitall, Waitany, Waitsome and Test, Testall, Testany, Testsome, for requests of adtape_MPI_Isend and
 * adtape_MPI_Irecv, for started ones, and MPI_REQUEST_NULL. The reverse begins to send the adjoints of what was received,
 * and asks for those of what was sent, as far as the call has completed the requests. The adjoints given to _b_at are
 * those of completed receives, in the order of the requests or of array_of_indices; those of sends are ignored. */
int adtape_MPI_Wait(MPI_Request *request, MPI_Status *status);
void adtape_MPI_Wait_b(void);
void adtape_MPI_Wait_b_at(void *buf_b);
int adtape_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses);
void adtape_MPI_Waitall_b(void);
void adtape_MPI_Waitall_b_at(void *const bufs_b[]);
int adtape_MPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status);
void adtape_MPI_Waitany_b(void);
void adtape_MPI_Waitany_b_at(void *buf_b);
int adtape_MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
                        MPI_Status *array_of_statuses);
void adtape_MPI_Waitsome_b(void);
void adtape_MPI_Waitsome_b_at(void *const bufs_b[]);
int adtape_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
void adtape_MPI_Test_b(void);
void adtape_MPI_Test_b_at(void *buf_b);
int adtape_MPI_Testall(int count, MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses);
void adtape_MPI_Testall_b(void);
void adtape_MPI_Testall_b_at(void *const bufs_b[]);
int adtape_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status);
void adtape_MPI_Testany_b(void);
void adtape_MPI_Testany_b_at(void *buf_b);
int adtape_MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
                        MPI_Status *array_of_statuses);
void adtape_MPI_Testsome_b(void);
void adtape_MPI_Testsome_b_at(void *const bufs_b[]);

/* Probe, Iprobe. The reverse does nothing. */
int adtape_MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
void adtape_MPI_Probe_b(void);
int adtape_MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
void adtape_MPI_Iprobe_b(void);

/* Mprobe, Improbe: they match a message, which Mrecv or Imrecv then receives. Their reverse does nothing; that of Mrecv
 * and Imrecv does what that of Recv and Irecv does. */
int adtape_MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
void adtape_MPI_Mprobe_b(void);
int adtape_MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);
void adtape_MPI_Improbe_b(void);
int adtape_MPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status);
void adtape_MPI_Mrecv_b(void);
void adtape_MPI_Mrecv_b_at(void *buf_b);
int adtape_MPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request);
void adtape_MPI_Imrecv_b(void);

/* ---- between all ranks ----------------------------------------------------------------------------------------- */

/* Barrier. The reverse is one, too. */
int adtape_MPI_Barrier(MPI_Comm comm);
void adtape_MPI_Barrier_b(void);

/* Bcast. In the reverse the root's adjoint becomes the sum of all ranks', and the others' zero. */
int adtape_MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
void adtape_MPI_Bcast_b(void);
void adtape_MPI_Bcast_b_at(void *buffer_b);

/* Reduce, Allreduce, by MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN of MPI_FLOAT, MPI_DOUBLE and their names in Fortran, by
 * MPI_SUM and MPI_PROD of complex numbers, by MPI_MAXLOC and MPI_MINLOC of pairs, by operations of the program's own
 * with an adjoint, and by any operation on integers. The adjoint of the result, of Allreduce summed up over the
 * ranks, goes to all ranks (MPI_SUM), to the rank that had the value, the lowest of several (MPI_MAX, MPI_MIN, and
 * MPI_MAXLOC, MPI_MINLOC among those with the lowest place), or to each with the product of the others' factors
 * (MPI_PROD); the result's own is zero then. With MPI_IN_PLACE both are one buffer, and so may sendbuf_b be.
 *
 * Pairs are MPI_DOUBLE_INT and MPI_FLOAT_INT, whose place is an integer, and MPI_2DOUBLE_PRECISION and MPI_2REAL, whose
 * place is a value that the winner's adjoint gets too. The adjoint of a pair has the layout of the pair. */
int adtape_MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                      MPI_Comm comm);
void adtape_MPI_Reduce_b(void);
void adtape_MPI_Reduce_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm);
void adtape_MPI_Allreduce_b(void);
void adtape_MPI_Allreduce_b_at(void *sendbuf_b, void *recvbuf_b);

/* The adjoint of an operation r = a ∘ b of arrays with `*len` elements of a datatype: adds to a_b what r_b says of a, and
 * to b_b what it says of b. Both are zero before. `datatype` is that of the call or one of its layout. */
typedef void adtape_mpi_op_adjoint_t(const void *a, const void *b, void *a_b, void *b_b, const void *r_b,
                                     const int *len, MPI_Datatype *datatype);
/* Makes known the adjoint of an operation that MPI_Op_create has made of `function`, on each rank that reduces by it.
 * The operation is associative, as MPI asks, and need not commute: a is what lower ranks have. The adjoint is that of
 * the operation in the order of ranks. What is reduced is of float or of double, also as a derived type whose elements
 * do not overlap, a matrix for instance. MPI_Op_free may come before the reverse sweep, which calls `function`. */
void adtape_mpi_op_adjoint(MPI_Op op, MPI_User_function *function, adtape_mpi_op_adjoint_t *adjoint);

/* Reduce_scatter, Reduce_scatter_block, Scan, Exscan: likewise. The reverse of Scan and Exscan by other operations than
 * MPI_SUM takes memory for all ranks' values on each. Exscan leaves rank 0's result and its adjoint as they are. */
int adtape_MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm);
void adtape_MPI_Reduce_scatter_b(void);
void adtape_MPI_Reduce_scatter_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                                    MPI_Comm comm);
void adtape_MPI_Reduce_scatter_block_b(void);
void adtape_MPI_Reduce_scatter_block_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
void adtape_MPI_Scan_b(void);
void adtape_MPI_Scan_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
void adtape_MPI_Exscan_b(void);
void adtape_MPI_Exscan_b_at(void *sendbuf_b, void *recvbuf_b);

/* Gather, Scatter, Allgather, Alltoall, and those with counts. The reverse sends the adjoints of what was received back
 * to where it came from, where they are added up; what was received has zero then. The adjoint of a buffer that MPI
 * ignores on a rank, or that is in place, is ignored, too. */
int adtape_MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm);
void adtape_MPI_Gather_b(void);
void adtape_MPI_Gather_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm);
void adtape_MPI_Gatherv_b(void);
void adtape_MPI_Gatherv_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                       MPI_Datatype recvtype, int root, MPI_Comm comm);
void adtape_MPI_Scatter_b(void);
void adtape_MPI_Scatter_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                        void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
void adtape_MPI_Scatterv_b(void);
void adtape_MPI_Scatterv_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm);
void adtape_MPI_Allgather_b(void);
void adtape_MPI_Allgather_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm);
void adtape_MPI_Allgatherv_b(void);
void adtape_MPI_Allgatherv_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm);
void adtape_MPI_Alltoall_b(void);
void adtape_MPI_Alltoall_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                         void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                         MPI_Comm comm);
void adtape_MPI_Alltoallv_b(void);
void adtape_MPI_Alltoallv_b_at(void *sendbuf_b, void *recvbuf_b);

/* Those among the neighbours of a Cartesian communicator, likewise. A block of a neighbour that is not there
 * (MPI_PROC_NULL) stays as it is, and so does its adjoint. */
int adtape_MPI_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
void adtape_MPI_Neighbor_allgather_b(void);
void adtape_MPI_Neighbor_allgather_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm);
void adtape_MPI_Neighbor_allgatherv_b(void);
void adtape_MPI_Neighbor_allgatherv_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
void adtape_MPI_Neighbor_alltoall_b(void);
void adtape_MPI_Neighbor_alltoall_b_at(void *sendbuf_b, void *recvbuf_b);
int adtape_MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                                  MPI_Datatype recvtype, MPI_Comm comm);
void adtape_MPI_Neighbor_alltoallv_b(void);
void adtape_MPI_Neighbor_alltoallv_b_at(void *sendbuf_b, void *recvbuf_b);

/* ---- between all ranks, nonblocking --------------------------------------------------------------------------------- */

/* As the blocking calls; a call that waits completes them, or a test. The reverse of that call begins to send adjoints,
 * the reverse of the call itself waits for them and adds them up, in the order of ranks. Reductions are by MPI_SUM, or of
 * integers. Adjoints of the buffers come from adtape's addresses: there is no form with _b_at, and adjoints given to a
 * wait are ignored. Each rank sends a message to each from which it got something. */
int adtape_MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Ibarrier_b(void);
int adtape_MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                      MPI_Request *request);
void adtape_MPI_Ibcast_b(void);
int adtape_MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       int root, MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Ireduce_b(void);
int adtape_MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Iallreduce_b(void);
int adtape_MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Ireduce_scatter_b(void);
int adtape_MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype,
                                     MPI_Op op, MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Ireduce_scatter_block_b(void);
int adtape_MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Iscan_b(void);
int adtape_MPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                       MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Igather_b(void);
int adtape_MPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                        MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Igatherv_b(void);
int adtape_MPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                        MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Iscatter_b(void);
int adtape_MPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                         MPI_Request *request);
void adtape_MPI_Iscatterv_b(void);
int adtape_MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Iallgather_b(void);
int adtape_MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                           MPI_Request *request);
void adtape_MPI_Iallgatherv_b(void);
int adtape_MPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Ialltoall_b(void);
int adtape_MPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                          MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
void adtape_MPI_Ialltoallv_b(void);

/* ---- the seed of the reverse sweep ------------------------------------------------------------------------------ */

enum { ADTAPE_MPI_ON_ALL = -1, ADTAPE_MPI_ON_ONE = -2 };
/* Before the reverse sweep, on all ranks: whether the adjoint of the result, `count` values, is seeded where it is meant
 * to be: on rank `where` alone, on one rank of any number (ADTAPE_MPI_ON_ONE), or on all (ADTAPE_MPI_ON_ALL). Seeded is
 * what is not zero. Anything else is an error on all ranks. Leaves no record. */
void adtape_mpi_check_seed(const void *seed, int count, MPI_Datatype datatype, int where, MPI_Comm comm);

/* ---- for the Fortran module ------------------------------------------------------------------------------------ */

/* The place in the program that the next calls stand for, until it is NULL again. */
void adtape_mpi_abi0_site(const void *site);
/* Checks that a datatype is not of numbers of 4 bytes where the buffer has such of 8 bytes, or the other way. */
void adtape_mpi_abi0_expect_precision(MPI_Datatype datatype, int bytes);
/* adtape_mpi_op_adjoint for procedures of Fortran, whose last argument is an integer. */
void adtape_mpi_abi0_op_adjoint(MPI_Op op, MPI_User_function *function, adtape_mpi_op_adjoint_t *adjoint);

#ifdef __cplusplus
}
#endif

#endif
