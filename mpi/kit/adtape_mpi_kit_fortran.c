/* adtape_mpi_kit_fortran.c: the names of Adjoinable MPI in Fortran, over libadtape_mpi_fortran. They end in the call of an
 * external procedure of adtape_mpi: compiled to a jump, so that its caller is the program, which errors name. */
#include <stddef.h>

#include "adtape_mpi.h"
#include "adtape_mpi_kit.h"

typedef const MPI_Fint in;
typedef MPI_Fint out;

/* ---- procedures of libadtape_mpi_fortran, and of MPI ---- */

void adtape_mpi_finalize_(out *ierror);
void adtape_mpi_send_(const void *, in *, in *, in *, in *, in *, out *);
void adtape_mpi_recv_(void *, in *, in *, in *, in *, in *, out *, out *);
void adtape_mpi_isend_(const void *, in *, in *, in *, in *, in *, out *, out *);
void adtape_mpi_irecv_(void *, in *, in *, in *, in *, in *, out *, out *);
void adtape_mpi_wait_(out *, out *, out *);
void adtape_mpi_barrier_(in *, out *);
void adtape_mpi_reduce_(const void *, void *, in *, in *, in *, in *, in *, out *);
void adtape_mpi_send_b_at_(void *);
void adtape_mpi_recv_b_at_(void *);
void adtape_mpi_isend_b_at_(void *);
void adtape_mpi_irecv_b_(void);
void adtape_mpi_barrier_b_(void);
void adtape_mpi_reduce_b_at_(void *, void *);
void mpi_send_(void *, in *, in *, in *, in *, in *, out *);
void mpi_recv_(void *, in *, in *, in *, in *, in *, out *, out *);
void mpi_isend_(void *, in *, in *, in *, in *, in *, out *, out *);
void mpi_irecv_(void *, in *, in *, in *, in *, in *, out *, out *);
void mpi_wait_(out *, out *, out *);
void mpi_barrier_(in *, out *);
void mpi_reduce_(void *, void *, in *, in *, in *, in *, in *, out *);
void mpi_comm_rank_(in *, out *, out *);

int AMPI_Init_NT(int *argc, char ***argv);
int AMPI_Finalize_NT(void);
void ADTOOL_AMPI_Turn(void *buf, void *adjointBuf);

API void ampi_init_nt_(out *ierror) { *ierror = AMPI_Init_NT(NULL, NULL); }
API void ampi_finalize_nt_(out *ierror) { *ierror = AMPI_Finalize_NT(); }
API void ampi_comm_rank_(in *comm, out *rank, out *ierror) { mpi_comm_rank_(comm, rank, ierror); }
API void adtool_ampi_turn_(void *buf, void *buf_b) { ADTOOL_AMPI_Turn(buf, buf_b); }

/* ---- between two ranks ---- */

#define ENVELOPE_ void *buf, in *count, in *datatype, in *peer, in *tag, in *paired, in *comm
#define GIVEN_ buf, count, datatype, peer, tag, comm

/* Reverse calls take arguments that the record has, and `paired` is not needed by any. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The program's own call, the forward and the reverse one: their arguments but for the last, the same as MPI takes them,
 * and the call of adtape_mpi with the adjoint. */
#define UNPACK_(...) __VA_ARGS__
#define DEFINE_(name, declared, given, reverse)                                                                    \
    API void ampi_##name##_(UNPACK_ declared, out *ierror) { mpi_##name##_(UNPACK_ given, ierror); }               \
    API void fw_ampi_##name##_(UNPACK_ declared, out *ierror) { adtape_mpi_##name##_(UNPACK_ given, ierror); }     \
    API void bw_ampi_##name##_(UNPACK_ declared, out *ierror) {                                                    \
        *ierror = MPI_SUCCESS;                                                                                     \
        reverse;                                                                                                   \
    }

DEFINE_(send, (ENVELOPE_), (GIVEN_), adtape_mpi_send_b_at_(buf))
DEFINE_(recv, (ENVELOPE_, out *status), (GIVEN_, status), adtape_mpi_recv_b_at_(buf))
DEFINE_(isend, (ENVELOPE_, out *request), (GIVEN_, request), adtape_mpi_isend_b_at_(buf))

API void ampi_irecv_(ENVELOPE_, out *request, out *ierror) {
    mpi_irecv_(GIVEN_, request, ierror);
}
API void fw_ampi_irecv_(ENVELOPE_, out *request, out *ierror) {
    adtape_mpi_irecv_(GIVEN_, request, ierror);
    if (*ierror == MPI_SUCCESS) {
        adtape_mpi_kit_posted(MPI_Request_f2c(*request), buf);
    }
}
API void bw_ampi_irecv_(ENVELOPE_, out *request, out *ierror) {
    *ierror = MPI_SUCCESS;
    adtape_mpi_irecv_b_();
}

API void ampi_wait_(out *request, out *status, out *ierror) { mpi_wait_(request, status, ierror); }
API void fw_ampi_wait_(out *request, out *status, out *ierror) {
    void *buffer = adtape_mpi_kit_waited(MPI_Request_f2c(*request));
    adtape_mpi_wait_(request, status, ierror);
    if (*ierror == MPI_SUCCESS) {
        adtape_mpi_kit_push(buffer);
    }
}
API void bw_ampi_wait_(out *request, out *status, out *ierror) {
    *ierror = MPI_SUCCESS;
    adtape_mpi_kit_wait_b(SITE);
}

/* ---- between all ranks ---- */

DEFINE_(barrier, (in *comm), (comm), adtape_mpi_barrier_b_())

API void ampi_reduce_(void *sbuf, void *rbuf, in *count, in *datatype, in *op, in *root, in *comm, out *ierror) {
    mpi_reduce_(sbuf, rbuf, count, datatype, op, root, comm, ierror);
}
API void fws_ampi_reduce_(void *sbuf, void *rbuf, in *count, in *datatype, in *op, in *root, in *comm, out *ierror) {
    adtape_mpi_reduce_(sbuf, rbuf, count, datatype, op, root, comm, ierror);
}
API void bws_ampi_reduce_(void *sbuf, void *sbufb, void *rbuf, void *rbufb, in *count, in *datatype, in *datatypeb,
                          in *op, void *uopd, in *root, in *comm, out *ierror) {
    *ierror = MPI_SUCCESS;
    adtape_mpi_reduce_b_at_(sbufb, rbufb);
}
