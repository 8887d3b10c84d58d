/* adtape_mpi_kit.c: the names of Adjoinable MPI in C, over libadtape_mpi.
 *
 * Each call is one of adtape_mpi: the forward one has MPI's arguments, the reverse one the adjoints of its buffers. Only
 * the reverse of a wait gets none, and needs that of what its request received into: FW_AMPI_Irecv remembers the buffer,
 * FW_AMPI_Wait leaves its address on the tape, and ADTOOL_AMPI_Turn says where the adjoint of an address is. */
#include "ampi/ampi.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adtape.h"
#include "adtape_mpi.h"
#include "adtape_mpi_kit.h"

MPI_Datatype AMPI_ADOUBLE, AMPI_AFLOAT, AMPI_ADOUBLE_PRECISION, AMPI_AREAL;

/* Fortran's common block. A program that has one of its own shares it. */
__attribute__((common)) MPI_Fint active_types_[2];

/* Errors name the program's call, and not that of the kit. `then` follows a forward call that succeeded. */
#define FORWARD_THEN_(call, then)               \
    do {                                        \
        adtape_mpi_abi0_site(SITE);             \
        const int code_ = call;                 \
        adtape_mpi_abi0_site(NULL);             \
        if (code_ == MPI_SUCCESS) {             \
            then;                               \
        }                                       \
        return code_;                           \
    } while (0)
#define FORWARD_(call) FORWARD_THEN_(call, (void)0)
#define REVERSE_(call)                          \
    do {                                        \
        adtape_mpi_abi0_site(SITE);             \
        call;                                   \
        adtape_mpi_abi0_site(NULL);             \
        return MPI_SUCCESS;                     \
    } while (0)

/* ---- addresses by addresses, or by requests: chains of entries ---- */

enum { CHAINS = 1024 };
struct entry {
    uint64_t key;
    void *value;
    struct entry *next;
};
static struct entry *posted[CHAINS], *turned[CHAINS];

static struct entry **entry_find(struct entry **chains, uint64_t key) {
    struct entry **place = &chains[(key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 54];
    while (*place != NULL && (*place)->key != key) {
        place = &(*place)->next;
    }
    return place;
}

static void entry_set(struct entry **chains, uint64_t key, void *value) {
    struct entry **place = entry_find(chains, key);
    if (*place == NULL) {
        *place = calloc(1, sizeof **place);
        if (*place == NULL) {
            adtape_abi0_fail(ADTAPE_STATUS_OUT_OF_MEMORY, "no memory for a buffer of Adjoinable MPI", NULL);
        }
        (*place)->key = key;
    }
    (*place)->value = value;
}

static void *entry_take(struct entry **chains, uint64_t key) {
    struct entry **place = entry_find(chains, key), *found = *place;
    if (found == NULL) {
        return NULL;
    }
    void *value = found->value;
    *place = found->next;
    free(found);
    return value;
}

static uint64_t bits_of(MPI_Request request) {
    uint64_t bits = 0;
    memcpy(&bits, &request, sizeof request);
    return bits;
}

void adtape_mpi_kit_posted(MPI_Request request, void *buffer) { entry_set(posted, bits_of(request), buffer); }

void *adtape_mpi_kit_waited(MPI_Request request) { return entry_take(posted, bits_of(request)); }

void adtape_mpi_kit_push(void *buffer) { adtape_push_i64(adtape_self(), (int64_t)(intptr_t)buffer); }

API void ADTOOL_AMPI_Turn(void *buf, void *adjointBuf) { entry_set(turned, (uint64_t)(uintptr_t)buf, adjointBuf); }

/* A buffer that no turn has named may lie in a range of adtape_live_add. */
void adtape_mpi_kit_wait_b(const void *site) {
    int64_t address;
    adtape_range_t range;
    adtape_pop_i64(adtape_self(), &address);
    struct entry *const *entry = entry_find(turned, (uint64_t)address);
    adtape_mpi_abi0_site(site);
    if (address == 0 || *entry != NULL) {
        adtape_MPI_Wait_b_at(*entry != NULL ? (*entry)->value : NULL);
    } else if (adtape_live_find(NULL, (void *)(intptr_t)address, &range) == ADTAPE_STATUS_OK) {
        adtape_MPI_Wait_b();
    } else {
        adtape_abi0_fail(ADTAPE_STATUS_NO_RANGE,
                         "BW_AMPI_Wait of a receive into a buffer whose adjoint nobody has named\n"
                         "  ADTOOL_AMPI_Turn(buffer, adjoint) names it, with the address that FW_AMPI_Irecv had, "
                         "before the reverse sweep",
                         site);
    }
    adtape_mpi_abi0_site(NULL);
}

/* ---- beginning, end, and what has no derivative ---- */

API int AMPI_Init_NT(int *argc, char ***argv) {
    const int code = adtape_MPI_Init(argc, argv);
    AMPI_ADOUBLE = MPI_DOUBLE;
    AMPI_AFLOAT = MPI_FLOAT;
    AMPI_ADOUBLE_PRECISION = MPI_DOUBLE_PRECISION;
    AMPI_AREAL = MPI_REAL;
    active_types_[0] = MPI_Type_c2f(MPI_DOUBLE_PRECISION);
    active_types_[1] = MPI_Type_c2f(MPI_REAL);
    return code;
}

static void entries_free(struct entry **chains) {
    for (int i = 0; i < CHAINS; i++) {
        while (chains[i] != NULL) {
            struct entry *entry = chains[i];
            chains[i] = entry->next;
            free(entry);
        }
    }
}

API int AMPI_Finalize_NT(void) {
    entries_free(posted);
    entries_free(turned);
    return adtape_MPI_Finalize();
}

/* A call that is MPI's own: its name here, MPI's, its arguments, and the same as MPI takes them. */
#define PASS_ON_(name, of_mpi, declared, given) \
    API int AMPI_##name declared { return MPI_##of_mpi given; }

PASS_ON_(Comm_size, Comm_size, (MPI_Comm comm, int *size), (comm, size))
PASS_ON_(Comm_rank, Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))
PASS_ON_(Get_processor_name, Get_processor_name, (char *name, int *resultlen), (name, resultlen))
PASS_ON_(Buffer_attach_NT, Buffer_attach, (void *buffer, int size), (buffer, size))
PASS_ON_(Buffer_detach_NT, Buffer_detach, (void *buffer, int *size), (buffer, size))
PASS_ON_(Type_contiguous_NT, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype *newtype),
         (count, oldtype, newtype))
PASS_ON_(Type_create_struct_NT, Type_create_struct,
         (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype *newtype),
         (count, blocklengths, displacements, types, newtype))
PASS_ON_(Type_create_resized_NT, Type_create_resized,
         (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype), (oldtype, lb, extent, newtype))
PASS_ON_(Type_commit_NT, Type_commit, (MPI_Datatype *datatype), (datatype))
PASS_ON_(Type_free_NT, Type_free, (MPI_Datatype *datatype), (datatype))
PASS_ON_(Op_create_NT, Op_create, (MPI_User_function *function, int commute, MPI_Op *op), (function, commute, op))
PASS_ON_(Op_free_NT, Op_free, (MPI_Op *op), (op))

/* ---- calls in three forms ---- */

/* Reverse calls take arguments that the record has, and `pairedWith` is not needed by any. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The program's own call, the forward and the reverse one: their arguments, the same as MPI takes them, and the call of
 * adtape_mpi with the adjoints. */
#define UNPACK_(...) __VA_ARGS__
#define DEFINE_(name, declared, given, reverse)                                              \
    API int AMPI_##name(UNPACK_ declared) { return MPI_##name(UNPACK_ given); }              \
    API int FW_AMPI_##name(UNPACK_ declared) { FORWARD_(adtape_MPI_##name(UNPACK_ given)); } \
    API int BW_AMPI_##name(UNPACK_ declared) { REVERSE_(reverse); }

/* ---- between two ranks ---- */

#define ENVELOPE_ void *buf, int count, MPI_Datatype datatype, int peer, int tag, AMPI_PairedWith pairedWith, MPI_Comm comm
#define GIVEN_ buf, count, datatype, peer, tag, comm

PASS_ON_(Bsend, Bsend, (ENVELOPE_), (GIVEN_))
PASS_ON_(Rsend, Rsend, (ENVELOPE_), (GIVEN_))
DEFINE_(Send, (ENVELOPE_), (GIVEN_), adtape_MPI_Send_b_at(buf))
DEFINE_(Recv, (ENVELOPE_, MPI_Status *status), (GIVEN_, status), adtape_MPI_Recv_b_at(buf))
DEFINE_(Isend, (ENVELOPE_, AMPI_Request *request), (GIVEN_, request), adtape_MPI_Isend_b_at(buf))

PASS_ON_(Irecv, Irecv, (ENVELOPE_, AMPI_Request *request), (GIVEN_, request))
API int FW_AMPI_Irecv(ENVELOPE_, AMPI_Request *request) {
    FORWARD_THEN_(adtape_MPI_Irecv(GIVEN_, request), adtape_mpi_kit_posted(*request, buf));
}
API int BW_AMPI_Irecv(ENVELOPE_, AMPI_Request *request) { REVERSE_(adtape_MPI_Irecv_b()); }

PASS_ON_(Wait, Wait, (AMPI_Request *request, MPI_Status *status), (request, status))
PASS_ON_(Waitall, Waitall, (int count, AMPI_Request requests[], MPI_Status statuses[]), (count, requests, statuses))
API int FW_AMPI_Wait(AMPI_Request *request, MPI_Status *status) {
    void *buffer = adtape_mpi_kit_waited(*request);
    FORWARD_THEN_(adtape_MPI_Wait(request, status), adtape_mpi_kit_push(buffer));
}
API int BW_AMPI_Wait(AMPI_Request *request, MPI_Status *status) {
    adtape_mpi_kit_wait_b(SITE);
    return MPI_SUCCESS;
}

/* ---- between all ranks ---- */

DEFINE_(Barrier, (MPI_Comm comm), (comm), adtape_MPI_Barrier_b())
DEFINE_(Bcast, (void *buf, int count, MPI_Datatype datatype, int root, MPI_Comm comm),
        (buf, count, datatype, root, comm), adtape_MPI_Bcast_b_at(buf))
DEFINE_(Allreduce, (void *sbuf, void *rbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
        (sbuf, rbuf, count, datatype, op, comm), adtape_MPI_Allreduce_b_at(sbuf, rbuf))
DEFINE_(Gather,
        (void *sendbuf, int sendcnt, MPI_Datatype sendtype, void *recvbuf, int recvcnt, MPI_Datatype recvtype, int root,
         MPI_Comm comm),
        (sendbuf, sendcnt, sendtype, recvbuf, recvcnt, recvtype, root, comm), adtape_MPI_Gather_b_at(sendbuf, recvbuf))
DEFINE_(Scatter,
        (void *sendbuf, int sendcnt, MPI_Datatype sendtype, void *recvbuf, int recvcnt, MPI_Datatype recvtype, int root,
         MPI_Comm comm),
        (sendbuf, sendcnt, sendtype, recvbuf, recvcnt, recvtype, root, comm), adtape_MPI_Scatter_b_at(sendbuf, recvbuf))
DEFINE_(Allgather,
        (void *sendbuf, int sendcnt, MPI_Datatype sendtype, void *recvbuf, int recvcnt, MPI_Datatype recvtype,
         MPI_Comm comm),
        (sendbuf, sendcnt, sendtype, recvbuf, recvcnt, recvtype, comm), adtape_MPI_Allgather_b_at(sendbuf, recvbuf))
DEFINE_(Gatherv,
        (void *sendbuf, int sendcnt, MPI_Datatype sendtype, void *recvbuf, int *recvcnts, int *displs,
         MPI_Datatype recvtype, int root, MPI_Comm comm),
        (sendbuf, sendcnt, sendtype, recvbuf, recvcnts, displs, recvtype, root, comm),
        adtape_MPI_Gatherv_b_at(sendbuf, recvbuf))
DEFINE_(Scatterv,
        (void *sendbuf, int *sendcnts, int *displs, MPI_Datatype sendtype, void *recvbuf, int recvcnt,
         MPI_Datatype recvtype, int root, MPI_Comm comm),
        (sendbuf, sendcnts, displs, sendtype, recvbuf, recvcnt, recvtype, root, comm),
        adtape_MPI_Scatterv_b_at(sendbuf, recvbuf))
DEFINE_(Allgatherv,
        (void *sendbuf, int sendcnt, MPI_Datatype sendtype, void *recvbuf, int *recvcnts, int *displs,
         MPI_Datatype recvtype, MPI_Comm comm),
        (sendbuf, sendcnt, sendtype, recvbuf, recvcnts, displs, recvtype, comm),
        adtape_MPI_Allgatherv_b_at(sendbuf, recvbuf))

PASS_ON_(Reduce, Reduce,
         (void *sbuf, void *rbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm),
         (sbuf, rbuf, count, datatype, op, root, comm))
API int FWS_AMPI_Reduce(void *sbuf, void *rbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
    FORWARD_(adtape_MPI_Reduce(sbuf, rbuf, count, datatype, op, root, comm));
}
API int BWS_AMPI_Reduce(void *sbuf, void *sbufb, void *rbuf, void *rbufb, int count, MPI_Datatype datatype,
                        MPI_Datatype datatypeb, MPI_Op op, void *uopd, int root, MPI_Comm comm) {
    REVERSE_(adtape_MPI_Reduce_b_at(sbufb, rbufb));
}
