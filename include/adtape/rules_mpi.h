/* adtape/rules_mpi.h: what generated code calls of MPI. The generator includes it where a program sends messages. */
#ifndef ADTAPE_RULES_MPI_H
#define ADTAPE_RULES_MPI_H

#include <adtape.h>
#include <adtape_mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the calling rank is the root of a collective call. */
static inline int adtape_rule_mpi_here(int root, MPI_Comm comm) {
    int me = 0;
    MPI_Comm_rank(comm, &me);
    return me == root;
}

/* How many ranks take part in a collective call. */
static inline int adtape_rule_mpi_ranks(MPI_Comm comm) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    return ranks;
}

/* Memory; the program ends where there is none. */
static inline void *adtape_rule_mpi_bytes(int count) {
    void *room = malloc(count > 0 ? (size_t)count : 1);
    if (room == NULL) {
        fputs("adtape: there is no memory for the buffer of a message\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return room;
}

/* ---- calls that wait for several requests ------------------------------------------------------ */

/* Their reverse gets a pointer for each request to the adjoint of its buffer. Which requests a call has completed goes
 * on the tape, where the call says so. */
static inline void adtape_rule_MPI_Waitall_b_at(void *at) { adtape_MPI_Waitall_b_at((void *const *)at); }

static inline void adtape_rule_MPI_Testall_b_at(void *at) { adtape_MPI_Testall_b_at((void *const *)at); }

static inline int adtape_rule_MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
    int code = adtape_MPI_Waitany(count, requests, index, status);
    adtape_push_i32(adtape_self(), *index);
    return code;
}

static inline int adtape_rule_MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
    int code = adtape_MPI_Testany(count, requests, index, flag, status);
    adtape_push_i32(adtape_self(), *flag ? *index : MPI_UNDEFINED);
    return code;
}

static inline void *adtape_rule_mpi_completed(void *at) {
    int32_t index = MPI_UNDEFINED;
    adtape_pop_i32(adtape_self(), &index);
    return index == MPI_UNDEFINED ? NULL : ((void *const *)at)[index];
}

static inline void adtape_rule_MPI_Waitany_b_at(void *at) { adtape_MPI_Waitany_b_at(adtape_rule_mpi_completed(at)); }

static inline void adtape_rule_MPI_Testany_b_at(void *at) { adtape_MPI_Testany_b_at(adtape_rule_mpi_completed(at)); }

static inline void adtape_rule_mpi_note(int done, const int *indices) {
    done = done == MPI_UNDEFINED ? 0 : done;
    for (int k = 0; k < done; k++) {
        adtape_push_i32(adtape_self(), indices[k]);
    }
    adtape_push_i32(adtape_self(), done);
}

static inline int adtape_rule_MPI_Waitsome(int count, MPI_Request *requests, int *done, int *indices,
                                           MPI_Status *statuses) {
    int code = adtape_MPI_Waitsome(count, requests, done, indices, statuses);
    adtape_rule_mpi_note(*done, indices);
    return code;
}

static inline int adtape_rule_MPI_Testsome(int count, MPI_Request *requests, int *done, int *indices,
                                           MPI_Status *statuses) {
    int code = adtape_MPI_Testsome(count, requests, done, indices, statuses);
    adtape_rule_mpi_note(*done, indices);
    return code;
}

static inline void adtape_rule_mpi_some(void *at, void (*reverse)(void *const *)) {
    int32_t done = 0, index = 0;
    adtape_pop_i32(adtape_self(), &done);
    void **found = adtape_rule_mpi_bytes((done + 1) * (int)sizeof(void *));
    for (int k = done; k-- > 0;) {
        adtape_pop_i32(adtape_self(), &index);
        found[k] = ((void *const *)at)[index];
    }
    reverse(found);
    free(found);
}

static inline void adtape_rule_MPI_Waitsome_b_at(void *at) { adtape_rule_mpi_some(at, adtape_MPI_Waitsome_b_at); }

static inline void adtape_rule_MPI_Testsome_b_at(void *at) { adtape_rule_mpi_some(at, adtape_MPI_Testsome_b_at); }

/* Their reverse where buffers lie in blocks of the stable heap: `at` has pointers to the buffers. */
#define ADTAPE_RULE_MPI_IN_BLOCKS(name) \
    static inline void adtape_rule_MPI_##name##_b_of_blocks(int count, void *at) { \
        void **found = adtape_rule_mpi_bytes((count > 0 ? count : 1) * (int)sizeof(void *)); \
        for (int k = 0; k < count; k++) { \
            found[k] = adtape_self_adjoint(((void *const *)at)[k]); \
        } \
        adtape_rule_MPI_##name##_b_at(found); \
        free(found); \
    }
ADTAPE_RULE_MPI_IN_BLOCKS(Waitall)
ADTAPE_RULE_MPI_IN_BLOCKS(Waitany)
ADTAPE_RULE_MPI_IN_BLOCKS(Waitsome)
ADTAPE_RULE_MPI_IN_BLOCKS(Testall)
ADTAPE_RULE_MPI_IN_BLOCKS(Testany)
ADTAPE_RULE_MPI_IN_BLOCKS(Testsome)

/* ---- datatypes of the program's own ------------------------------------------------------------ */

/* Keeps the elements of a datatype in a buffer on the tape, with a datatype that the program cannot free. */
static inline void adtape_rule_mpi_keep(const void *buf, int count, MPI_Datatype type) {
    adtape_t *tape = adtape_self();
    MPI_Datatype own;
    int64_t handle = 0;
    int bytes = 0, at = 0;
    MPI_Type_dup(type, &own);
    memcpy(&handle, &own, sizeof own);
    MPI_Pack_size(count, own, MPI_COMM_SELF, &bytes);
    int8_t *room = adtape_rule_mpi_bytes(bytes);
    MPI_Pack(buf, count, own, room, bytes, &at, MPI_COMM_SELF);
    adtape_push_array_i8(tape, room, at);
    adtape_push_i64(tape, handle);
    adtape_push_i32(tape, at);
    adtape_push_i32(tape, count);
    free(room);
}

static inline void adtape_rule_mpi_bring_back(void *buf) {
    adtape_t *tape = adtape_self();
    MPI_Datatype own;
    int64_t handle;
    int32_t count, bytes;
    int at = 0;
    adtape_pop_i32(tape, &count);
    adtape_pop_i32(tape, &bytes);
    adtape_pop_i64(tape, &handle);
    memcpy(&own, &handle, sizeof own);
    int8_t *room = adtape_rule_mpi_bytes(bytes);
    adtape_pop_array_i8(tape, room, bytes);
    MPI_Unpack(room, bytes, &at, buf, count, own, MPI_COMM_SELF);
    MPI_Type_free(&own);
    free(room);
}

static inline int adtape_rule_MPI_Recv_kept(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                            MPI_Status *status) {
    adtape_rule_mpi_keep(buf, count, type);
    return adtape_MPI_Recv(buf, count, type, source, tag, comm, status);
}

static inline void adtape_rule_MPI_Recv_kept_b_at(void *buf, void *buf_b) {
    adtape_MPI_Recv_b_at(buf_b);
    adtape_rule_mpi_bring_back(buf);
}

static inline int adtape_rule_MPI_Irecv_kept(void *buf, int count, MPI_Datatype type, int source, int tag,
                                             MPI_Comm comm, MPI_Request *request) {
    adtape_rule_mpi_keep(buf, count, type);
    return adtape_MPI_Irecv(buf, count, type, source, tag, comm, request);
}

static inline void adtape_rule_MPI_Irecv_kept_b_at(void *buf) {
    adtape_MPI_Irecv_b();
    adtape_rule_mpi_bring_back(buf);
}

static inline int adtape_rule_MPI_Sendrecv_kept(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                                                int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                                int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
    adtape_rule_mpi_keep(recvbuf, recvcount, recvtype);
    return adtape_MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                               recvtag, comm, status);
}

static inline void adtape_rule_MPI_Sendrecv_kept_b_at(void *recvbuf, void *sendbuf_b, void *recvbuf_b) {
    adtape_MPI_Sendrecv_b_at(sendbuf_b, recvbuf_b);
    adtape_rule_mpi_bring_back(recvbuf);
}

static inline int adtape_rule_MPI_Sendrecv_replace_kept(void *buf, int count, MPI_Datatype type, int dest, int sendtag,
                                                        int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
    adtape_rule_mpi_keep(buf, count, type);
    return adtape_MPI_Sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, status);
}

static inline void adtape_rule_MPI_Sendrecv_replace_kept_b_at(void *buf, void *buf_b) {
    adtape_MPI_Sendrecv_replace_b_at(buf_b);
    adtape_rule_mpi_bring_back(buf);
}

static inline int adtape_rule_MPI_Bcast_kept(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    adtape_rule_mpi_keep(buf, count, type);
    return adtape_MPI_Bcast(buf, count, type, root, comm);
}

static inline void adtape_rule_MPI_Bcast_kept_b_at(void *buf, void *buf_b) {
    adtape_MPI_Bcast_b_at(buf_b);
    adtape_rule_mpi_bring_back(buf);
}

#include <adtape/rules_mpi_d.h>

#endif
