/* adtape/rules_mpi_d.h: tangents of calls of MPI. A message between two ranks brings each value with its tangent, so
 * that one request and one status stand for both; collective calls are made twice. A tangent that nobody has is NULL:
 * zeros are sent, and what comes is dropped. Included by adtape/rules_mpi.h. */
#ifndef ADTAPE_RULES_MPI_D_H
#define ADTAPE_RULES_MPI_D_H

#include <adtape_mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static inline int adtape_rule_mpi_is_real(MPI_Datatype type) { return type == MPI_DOUBLE || type == MPI_FLOAT; }

/* Memory for values; the program ends where there is none. */
static inline void *adtape_rule_mpi_room(size_t count) {
    void *room = calloc(count > 0 ? count : 1, sizeof(double));
    if (room == NULL) {
        fputs("adtape: there is no memory for the tangent of a message\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return room;
}

/* Memory that stays, for messages that may be under way for long: what a larger one takes the place of stays, too. */
static inline void *adtape_rule_mpi_lasting(void **room, size_t *has, size_t count) {
    if (*room == NULL || count > *has) {
        *has = 2 * count > 64 ? 2 * count : 64;
        *room = adtape_rule_mpi_room(*has);
    }
    return *room;
}

static inline void *adtape_rule_mpi_zeros(size_t count) {
    static void *room;
    static size_t has;
    return adtape_rule_mpi_lasting(&room, &has, count);
}

static inline void *adtape_rule_mpi_dropped(size_t count) {
    static void *room;
    static size_t has;
    return adtape_rule_mpi_lasting(&room, &has, count);
}

/* A datatype of each value and its tangent: elements are as far apart as the values are. */
static inline MPI_Datatype adtape_rule_mpi_both(const void *buf, const void *buf_d, MPI_Datatype type) {
    const int ones[2] = {1, 1};
    MPI_Aint at[2], from;
    MPI_Datatype pair, both;
    int size;
    MPI_Get_address(buf, &from);
    MPI_Get_address(buf_d, &at[1]);
    at[0] = 0;
    at[1] -= from;
    MPI_Type_size(type, &size);
    MPI_Type_create_hindexed(2, ones, at, type, &pair);
    MPI_Type_create_resized(pair, 0, size, &both);
    MPI_Type_free(&pair);
    MPI_Type_commit(&both);
    return both;
}

static inline MPI_Datatype adtape_rule_mpi_sent(const void *buf, const void *buf_d, int count, MPI_Datatype type) {
    return adtape_rule_mpi_both(buf, buf_d ? buf_d : adtape_rule_mpi_zeros((size_t)count), type);
}

static inline MPI_Datatype adtape_rule_mpi_received(void *buf, void *buf_d, int count, MPI_Datatype type) {
    return adtape_rule_mpi_both(buf, buf_d ? buf_d : adtape_rule_mpi_dropped((size_t)count), type);
}

/* ---- between two ranks ------------------------------------------------------------------------- */

/* A call with `type` in place of a datatype that is made for it. */
#define ADTAPE_RULE_MPI_WITH(made, call) \
    int code; \
    if (adtape_rule_mpi_is_real(type)) { \
        type = made; \
        code = call; \
        MPI_Type_free(&type); \
        return code; \
    } \
    return call

#define ADTAPE_RULE_MPI_SEND(name) \
    static inline int adtape_rule_MPI_##name##_d(const void *buf, const void *buf_d, int count, MPI_Datatype type, \
                                                 int dest, int tag, MPI_Comm comm) { \
        ADTAPE_RULE_MPI_WITH(adtape_rule_mpi_sent(buf, buf_d, count, type), \
                             MPI_##name(buf, count, type, dest, tag, comm)); \
    }
ADTAPE_RULE_MPI_SEND(Send)
ADTAPE_RULE_MPI_SEND(Ssend)
ADTAPE_RULE_MPI_SEND(Bsend)

static inline int adtape_rule_MPI_Isend_d(const void *buf, const void *buf_d, int count, MPI_Datatype type, int dest,
                                          int tag, MPI_Comm comm, MPI_Request *request) {
    ADTAPE_RULE_MPI_WITH(adtape_rule_mpi_sent(buf, buf_d, count, type),
                         MPI_Isend(buf, count, type, dest, tag, comm, request));
}

static inline int adtape_rule_MPI_Irecv_d(void *buf, void *buf_d, int count, MPI_Datatype type, int source, int tag,
                                          MPI_Comm comm, MPI_Request *request) {
    ADTAPE_RULE_MPI_WITH(adtape_rule_mpi_received(buf, buf_d, count, type),
                         MPI_Irecv(buf, count, type, source, tag, comm, request));
}

static inline int adtape_rule_MPI_Recv_d(void *buf, void *buf_d, int count, MPI_Datatype type, int source, int tag,
                                         MPI_Comm comm, MPI_Status *status) {
    ADTAPE_RULE_MPI_WITH(adtape_rule_mpi_received(buf, buf_d, count, type),
                         MPI_Recv(buf, count, type, source, tag, comm, status));
}

static inline int adtape_rule_MPI_Sendrecv_replace_d(void *buf, void *buf_d, int count, MPI_Datatype type, int dest,
                                                     int sendtag, int source, int recvtag, MPI_Comm comm,
                                                     MPI_Status *status) {
    void *own = buf_d ? NULL : adtape_rule_mpi_room((size_t)count);
    MPI_Datatype both = adtape_rule_mpi_both(buf, buf_d ? buf_d : own, type);
    int code = MPI_Sendrecv_replace(buf, count, both, dest, sendtag, source, recvtag, comm, status);
    MPI_Type_free(&both);
    free(own);
    return code;
}

static inline int adtape_rule_MPI_Sendrecv_d(const void *sendbuf, const void *sendbuf_d, int sendcount,
                                             MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                                             void *recvbuf_d, int recvcount, MPI_Datatype recvtype, int source,
                                             int recvtag, MPI_Comm comm, MPI_Status *status) {
    MPI_Datatype sent = adtape_rule_mpi_sent(sendbuf, sendbuf_d, sendcount, sendtype);
    MPI_Datatype received = adtape_rule_mpi_received(recvbuf, recvbuf_d, recvcount, recvtype);
    int code = MPI_Sendrecv(sendbuf, sendcount, sent, dest, sendtag, recvbuf, recvcount, received, source, recvtag,
                            comm, status);
    MPI_Type_free(&sent);
    MPI_Type_free(&received);
    return code;
}

/* A wait is one for values and tangents. */
/* gcc takes MPI_STATUSES_IGNORE for an array without elements. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
#define ADTAPE_RULE_MPI_WAIT(name, params, args) \
    static inline int adtape_rule_MPI_##name##_d params { return MPI_##name args; }
ADTAPE_RULE_MPI_WAIT(Wait, (MPI_Request *r, MPI_Status *s), (r, s))
ADTAPE_RULE_MPI_WAIT(Waitall, (int n, MPI_Request *r, MPI_Status *s), (n, r, s))
ADTAPE_RULE_MPI_WAIT(Waitany, (int n, MPI_Request *r, int *index, MPI_Status *s), (n, r, index, s))
ADTAPE_RULE_MPI_WAIT(Waitsome, (int n, MPI_Request *r, int *done, int *at, MPI_Status *s), (n, r, done, at, s))
ADTAPE_RULE_MPI_WAIT(Test, (MPI_Request *r, int *flag, MPI_Status *s), (r, flag, s))
ADTAPE_RULE_MPI_WAIT(Testall, (int n, MPI_Request *r, int *flag, MPI_Status *s), (n, r, flag, s))
ADTAPE_RULE_MPI_WAIT(Testany, (int n, MPI_Request *r, int *index, int *flag, MPI_Status *s), (n, r, index, flag, s))
ADTAPE_RULE_MPI_WAIT(Testsome, (int n, MPI_Request *r, int *done, int *at, MPI_Status *s), (n, r, done, at, s))
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/* ---- among all ranks --------------------------------------------------------------------------- */

static inline int adtape_rule_mpi_size(MPI_Comm comm) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    return ranks;
}

/* The end of the last of some blocks. */
static inline size_t adtape_rule_mpi_end(const int *counts, const int *places, MPI_Comm comm) {
    size_t end = 0;
    for (int r = adtape_rule_mpi_size(comm); counts != NULL && r-- > 0;) {
        size_t here = (size_t)places[r] + (size_t)counts[r];
        end = here > end ? here : end;
    }
    return end;
}

/* A collective call, and the same call with tangents; `sent` and `filled` are numbers of elements. */
#define ADTAPE_RULE_MPI_TWICE(call, sent, filled) \
    void *own_sent = sendbuf_d == NULL && sendbuf != MPI_IN_PLACE ? adtape_rule_mpi_room(sent) : NULL; \
    void *own_filled = recvbuf_d == NULL && recvbuf != MPI_IN_PLACE ? adtape_rule_mpi_room(filled) : NULL; \
    int code = call; \
    if (code == MPI_SUCCESS) { \
        sendbuf = sendbuf == MPI_IN_PLACE ? sendbuf : own_sent ? own_sent : sendbuf_d; \
        recvbuf = recvbuf == MPI_IN_PLACE ? recvbuf : own_filled ? own_filled : recvbuf_d; \
        code = call; \
    } \
    free(own_sent); \
    free(own_filled); \
    return code

static inline int adtape_rule_MPI_Bcast_d(void *buf, void *buf_d, int count, MPI_Datatype type, int root,
                                          MPI_Comm comm) {
    void *own = buf_d ? NULL : adtape_rule_mpi_room((size_t)count);
    int code = MPI_Bcast(buf, count, type, root, comm);
    if (code == MPI_SUCCESS) {
        code = MPI_Bcast(buf_d ? buf_d : own, count, type, root, comm);
    }
    free(own);
    return code;
}

#define ADTAPE_RULE_MPI_TO_ONE(name, sent, filled) \
    static inline int adtape_rule_MPI_##name##_d(const void *sendbuf, const void *sendbuf_d, int sendcount, \
                                                 MPI_Datatype sendtype, void *recvbuf, void *recvbuf_d, int recvcount, \
                                                 MPI_Datatype recvtype, int root, MPI_Comm comm) { \
        const size_t ranks = (size_t)adtape_rule_mpi_size(comm); \
        (void)ranks; \
        ADTAPE_RULE_MPI_TWICE(MPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm), \
                              sent, filled); \
    }
ADTAPE_RULE_MPI_TO_ONE(Gather, (size_t)sendcount, ranks * (size_t)recvcount)
ADTAPE_RULE_MPI_TO_ONE(Scatter, ranks * (size_t)sendcount, (size_t)recvcount)

#define ADTAPE_RULE_MPI_TO_ALL(name, sent) \
    static inline int adtape_rule_MPI_##name##_d(const void *sendbuf, const void *sendbuf_d, int sendcount, \
                                                 MPI_Datatype sendtype, void *recvbuf, void *recvbuf_d, int recvcount, \
                                                 MPI_Datatype recvtype, MPI_Comm comm) { \
        const size_t ranks = (size_t)adtape_rule_mpi_size(comm); \
        ADTAPE_RULE_MPI_TWICE(MPI_##name(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), sent, \
                              ranks * (size_t)recvcount); \
    }
ADTAPE_RULE_MPI_TO_ALL(Allgather, (size_t)sendcount)
ADTAPE_RULE_MPI_TO_ALL(Alltoall, ranks * (size_t)sendcount)

static inline int adtape_rule_MPI_Gatherv_d(const void *sendbuf, const void *sendbuf_d, int sendcount,
                                            MPI_Datatype sendtype, void *recvbuf, void *recvbuf_d,
                                            const int *recvcounts, const int *displs, MPI_Datatype recvtype, int root,
                                            MPI_Comm comm) {
    ADTAPE_RULE_MPI_TWICE(
        MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm), (size_t)sendcount,
        adtape_rule_mpi_end(adtape_rule_mpi_here(root, comm) ? recvcounts : NULL, displs, comm));
}

static inline int adtape_rule_MPI_Scatterv_d(const void *sendbuf, const void *sendbuf_d, const int *sendcounts,
                                             const int *displs, MPI_Datatype sendtype, void *recvbuf, void *recvbuf_d,
                                             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    ADTAPE_RULE_MPI_TWICE(
        MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),
        adtape_rule_mpi_end(adtape_rule_mpi_here(root, comm) ? sendcounts : NULL, displs, comm), (size_t)recvcount);
}

static inline int adtape_rule_MPI_Allgatherv_d(const void *sendbuf, const void *sendbuf_d, int sendcount,
                                               MPI_Datatype sendtype, void *recvbuf, void *recvbuf_d,
                                               const int *recvcounts, const int *displs, MPI_Datatype recvtype,
                                               MPI_Comm comm) {
    ADTAPE_RULE_MPI_TWICE(MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
                          (size_t)sendcount, adtape_rule_mpi_end(recvcounts, displs, comm));
}

static inline int adtape_rule_MPI_Alltoallv_d(const void *sendbuf, const void *sendbuf_d, const int *sendcounts,
                                              const int *sdispls, MPI_Datatype sendtype, void *recvbuf,
                                              void *recvbuf_d, const int *recvcounts, const int *rdispls,
                                              MPI_Datatype recvtype, MPI_Comm comm) {
    ADTAPE_RULE_MPI_TWICE(
        MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),
        adtape_rule_mpi_end(sendbuf == MPI_IN_PLACE ? NULL : sendcounts, sdispls, comm),
        adtape_rule_mpi_end(recvcounts, rdispls, comm));
}

/* ---- reductions -------------------------------------------------------------------------------- */

static inline double adtape_rule_mpi_value(const void *at, int k, MPI_Datatype type) {
    return type == MPI_DOUBLE ? ((const double *)at)[k] : (double)((const float *)at)[k];
}

/* The tangent of a reduction of an element over the ranks from 0 to `to`: `x` and `x_d` are of all ranks. */
static inline double adtape_rule_mpi_reduced(const void *x, const void *x_d, int k, int count, int to,
                                             MPI_Datatype type, MPI_Op op) {
    double sum = 0;
    int best = 0;
    for (int r = 0; r < to; r++) {
        double part = adtape_rule_mpi_value(x_d, r * count + k, type);
        double value = adtape_rule_mpi_value(x, r * count + k, type);
        double most = adtape_rule_mpi_value(x, best * count + k, type);
        for (int q = 0; op == MPI_PROD && q < to; q++) {
            part *= q == r ? 1 : adtape_rule_mpi_value(x, q * count + k, type);
        }
        sum += part;
        best = (op == MPI_MAX && value > most) || (op == MPI_MIN && value < most) ? r : best;
    }
    return op == MPI_SUM || op == MPI_PROD || to == 0 ? sum : adtape_rule_mpi_value(x_d, best * count + k, type);
}

/* The tangents of elements from `first` on of a reduction over the ranks up to `to`, which need all ranks' values. */
static inline void adtape_rule_mpi_reduce(const void *x, const void *x_d, int all, void *r_d, int first, int count,
                                          int to, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    const size_t ranks = (size_t)adtape_rule_mpi_size(comm);
    void *values = adtape_rule_mpi_room(ranks * (size_t)all), *tangents = adtape_rule_mpi_room(ranks * (size_t)all);
    MPI_Allgather(x, all, type, values, all, type, comm);
    MPI_Allgather(x_d ? x_d : adtape_rule_mpi_zeros((size_t)all), all, type, tangents, all, type, comm);
    for (int k = 0; r_d != NULL && k < count; k++) {
        double tangent = adtape_rule_mpi_reduced(values, tangents, first + k, all, to, type, op);
        if (type == MPI_DOUBLE) {
            ((double *)r_d)[k] = tangent;
        } else {
            ((float *)r_d)[k] = (float)tangent;
        }
    }
    free(values);
    free(tangents);
}

/* `in_d`: the tangents of what goes in, which an in-place call has where it leaves its result. */
#define ADTAPE_RULE_MPI_REDUCED(call, all, wanted, first, to) \
    const void *in = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf; \
    const void *in_d = sendbuf == MPI_IN_PLACE ? recvbuf_d : sendbuf_d; \
    int me; \
    MPI_Comm_rank(comm, &me); \
    adtape_rule_mpi_reduce(in, in_d, all, wanted ? recvbuf_d : NULL, first, count, to, type, op, comm); \
    return call

static inline int adtape_rule_MPI_Reduce_d(const void *sendbuf, const void *sendbuf_d, void *recvbuf, void *recvbuf_d,
                                           int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    ADTAPE_RULE_MPI_REDUCED(MPI_Reduce(sendbuf, recvbuf, count, type, op, root, comm), count, me == root, 0,
                            adtape_rule_mpi_size(comm));
}

static inline int adtape_rule_MPI_Allreduce_d(const void *sendbuf, const void *sendbuf_d, void *recvbuf,
                                              void *recvbuf_d, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    ADTAPE_RULE_MPI_REDUCED(MPI_Allreduce(sendbuf, recvbuf, count, type, op, comm), count, 1, 0,
                            adtape_rule_mpi_size(comm));
}

static inline int adtape_rule_MPI_Scan_d(const void *sendbuf, const void *sendbuf_d, void *recvbuf, void *recvbuf_d,
                                         int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    ADTAPE_RULE_MPI_REDUCED(MPI_Scan(sendbuf, recvbuf, count, type, op, comm), count, 1, 0, me + 1);
}

static inline int adtape_rule_MPI_Exscan_d(const void *sendbuf, const void *sendbuf_d, void *recvbuf, void *recvbuf_d,
                                           int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    ADTAPE_RULE_MPI_REDUCED(MPI_Exscan(sendbuf, recvbuf, count, type, op, comm), count, me > 0, 0, me);
}

static inline int adtape_rule_MPI_Reduce_scatter_block_d(const void *sendbuf, const void *sendbuf_d, void *recvbuf,
                                                         void *recvbuf_d, int count, MPI_Datatype type, MPI_Op op,
                                                         MPI_Comm comm) {
    ADTAPE_RULE_MPI_REDUCED(MPI_Reduce_scatter_block(sendbuf, recvbuf, count, type, op, comm),
                            count * adtape_rule_mpi_size(comm), 1, me * count, adtape_rule_mpi_size(comm));
}

#endif
