/* adtape_mpi_fortran.c: what Fortran calls of adtape_mpi. Each call has two functions here, both generated:
 *
 *   adtape_mpi_send_    of programs that include mpif.h: an external procedure, buffers by address
 *   adtape_fmpi_send    of the module adtape_mpi: buffers by descriptor, which says whether they are contiguous
 *
 * MPI_IN_PLACE, MPI_BOTTOM, MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are variables in Fortran, others in mpif.h than in
 * mpi_f08. Fortran says where they are before the first call. */
#include "adtape_mpi.h"
#include "adtape_mpi_test.h"

#include <ISO_Fortran_binding.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adtape.h"

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "adtape_mpi takes Fortran's integers of 4 bytes only");

#define API __attribute__((visibility("default"), noinline))
#define SITE __builtin_return_address(0)
#define FIRST_CALL                                \
    do {                                          \
        if (__builtin_expect(!sentinels_known, 0)) { \
            learn_sentinels();                    \
        }                                         \
    } while (0)

/* ---- variables of Fortran that stand for what has no address ---- */

/* In the order of adtape_mpi.F90. */
enum sentinel { IN_PLACE, BOTTOM, STATUS_IGNORE, STATUSES_IGNORE, SENTINELS };
enum { MANY = 4 };
static const void *sentinels[SENTINELS][MANY];
static int sentinel_count[SENTINELS], status_size;
static bool sentinels_known;

void adtape_mpi_sentinels_(void);
void adtape_mpi_sentinels_f08_(void);

API void adtape_fmpi_sentinel(int which, const CFI_cdesc_t *variable) {
    sentinels[which][sentinel_count[which]++] = variable->base_addr;
}
API void adtape_fmpi_status_size(int size) { status_size = size; }

static __attribute__((cold, noinline)) void learn_sentinels(void) {
    sentinels_known = true;
    adtape_mpi_sentinels_();
#ifndef ADTAPE_MPI_NO_F08
    adtape_mpi_sentinels_f08_();
#endif
}

static bool is(enum sentinel which, const void *address) {
    for (int i = 0; i < sentinel_count[which]; i++) {
        if (sentinels[which][i] == address) {
            return true;
        }
    }
    return false;
}

/* ---- errors ---- */

/* The message begins with the rank, as the library's own do. */
static __attribute__((cold)) void refuse(int32_t status, const char *what, const void *site) {
    char text[256];
    int there = 0, rank = 0;
    (void)MPI_Initialized(&there);
    if (there) {
        (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    (void)snprintf(text, sizeof text, "rank %d: %s", rank, what);
    adtape_abi0_fail(status, text, site);
}

/* ---- buffers ---- */

static void *buffer_of(void *buffer) {
    return is(IN_PLACE, buffer) ? MPI_IN_PLACE : is(BOTTOM, buffer) ? MPI_BOTTOM : buffer;
}

static const void *buffer_in(const void *buffer) {
    return is(IN_PLACE, buffer) ? MPI_IN_PLACE : is(BOTTOM, buffer) ? MPI_BOTTOM : buffer;
}

/* The address of a buffer, which has no gaps: a copy would be gone before a message is under way. */
static void *address_of(const CFI_cdesc_t *buffer, const void *site) {
    CFI_index_t expected = (CFI_index_t)buffer->elem_len;
    bool contiguous = true, empty = false;
    for (int i = 0; i < buffer->rank; i++) {
        const CFI_index_t extent = buffer->dim[i].extent;
        /* The last extent of an array of assumed size is -1. */
        contiguous &= extent == 1 || buffer->dim[i].sm == expected;
        empty |= extent == 0;
        expected *= extent;
    }
    if (!contiguous && !empty) {
        refuse(ADTAPE_STATUS_BAD_ARGUMENT,
               "a section of an array with gaps as a buffer of adtape_mpi\n"
               "  give its first element, and a datatype with the gaps (MPI_Type_vector)",
               site);
    }
    return buffer->base_addr;
}

/* Likewise, of numbers of the precision that the datatype has. What else the compiler says of a type is not compared. */
static void *address_of_type(const CFI_cdesc_t *buffer, const MPI_Fint *datatype, const void *site) {
    const CFI_type_t type = buffer->type;
    const int bytes = type == CFI_type_float || type == CFI_type_float_Complex     ? 4
                      : type == CFI_type_double || type == CFI_type_double_Complex ? 8
                                                                                   : 0;
    if (bytes != 0) {
        adtape_mpi_abi0_site(site);
        adtape_mpi_abi0_expect_precision(MPI_Type_f2c(*datatype), bytes);
        adtape_mpi_abi0_site(NULL);
    }
    return address_of(buffer, site);
}

/* ---- what is converted ---- */

static void *allocated(int count, size_t each) {
    void *memory = calloc(count > 0 ? (size_t)count : 1, each);
    if (memory == NULL) {
        refuse(ADTAPE_STATUS_OUT_OF_MEMORY, "no memory for a list of adtape_mpi", NULL);
    }
    return memory;
}

static void give_code(MPI_Fint *ierror, int code) {
    if (ierror != NULL) {
        *ierror = code;
    }
}

static MPI_Request *requests_of(const MPI_Fint *requests, int count) {
    MPI_Request *own = allocated(count, sizeof *own);
    for (int i = 0; i < count; i++) {
        own[i] = MPI_Request_f2c(requests[i]);
    }
    return own;
}

static void requests_give(MPI_Fint *requests, MPI_Request *own, int count) {
    for (int i = 0; i < count; i++) {
        requests[i] = MPI_Request_c2f(own[i]);
    }
    free(own);
}

static MPI_Status *status_of(const MPI_Fint *status, MPI_Status *own) {
    memset(own, 0, sizeof *own);
    return is(STATUS_IGNORE, status) ? MPI_STATUS_IGNORE : own;
}

static void status_give(MPI_Fint *status, const MPI_Status *own) {
    if (own != MPI_STATUS_IGNORE) {
        (void)MPI_Status_c2f(own, status);
    }
}

static MPI_Status *statuses_of(const MPI_Fint *statuses, int count) {
    return is(STATUSES_IGNORE, statuses) ? MPI_STATUSES_IGNORE : allocated(count, sizeof(MPI_Status));
}

static void statuses_give(MPI_Fint *statuses, MPI_Status *own, int count) {
    if (own == MPI_STATUSES_IGNORE) {
        return;
    }
    for (int i = 0; i < count; i++) {
        (void)MPI_Status_c2f(&own[i], statuses + (ptrdiff_t)i * status_size);
    }
    free(own);
}

static void indices_give(MPI_Fint *indices, int count) {
    for (int i = 0; i < count && count != MPI_UNDEFINED; i++) {
        indices[i]++;
    }
}

static int *integers_of(const MPI_Fint *flags, int count) {
    int *own = allocated(count, sizeof *own);
    for (int i = 0; i < count; i++) {
        own[i] = flags[i] != 0;
    }
    return own;
}

static int dimensions_of(const MPI_Fint *comm) {
    int dimensions = 0;
    (void)MPI_Cartdim_get(MPI_Comm_f2c(*comm), &dimensions);
    return dimensions;
}

/* ---- calls whose arguments are others than in C ---- */

static void init(const void *site, MPI_Fint *ierror) {
    adtape_mpi_abi0_site(site);
    const int code = adtape_MPI_Init(NULL, NULL);
    adtape_mpi_abi0_site(NULL);
    give_code(ierror, code);
}
API void adtape_mpi_init_(MPI_Fint *ierror) { init(SITE, ierror); }
API void adtape_fmpi_init(MPI_Fint *ierror) { init(SITE, ierror); }

static void init_thread(const void *site, int required, MPI_Fint *provided, MPI_Fint *ierror) {
    adtape_mpi_abi0_site(site);
    const int code = adtape_MPI_Init_thread(NULL, NULL, required, provided);
    adtape_mpi_abi0_site(NULL);
    give_code(ierror, code);
}
API void adtape_mpi_init_thread_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror) {
    init_thread(SITE, *required, provided, ierror);
}
API void adtape_fmpi_init_thread(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror) {
    init_thread(SITE, *required, provided, ierror);
}

API void adtape_mpi_op_adjoint_(const MPI_Fint *op, MPI_User_function *function, adtape_mpi_op_adjoint_t *adjoint) {
    adtape_mpi_abi0_site(SITE);
    adtape_mpi_abi0_op_adjoint(MPI_Op_f2c(*op), function, adjoint);
    adtape_mpi_abi0_site(NULL);
}

/* ---- derivative tests ---- */

static MPI_Fint test_comm;
static bool test_comm_is_set;

API void adtape_fmpi_test_on(const MPI_Fint *comm) {
    test_comm = *comm;
    test_comm_is_set = true;
}

static MPI_Comm tested(void) { return test_comm_is_set ? MPI_Comm_f2c(test_comm) : MPI_COMM_WORLD; }

API double adtape_fmpi_test_sum(double mine) { return adtape_mpi_abi0_test_sum(tested(), mine); }

API double adtape_fmpi_test_value_f64(double mine) {
    adtape_mpi_abi0_site(SITE);
    const double value = adtape_mpi_abi0_test_value(tested(), mine, 1e-12);
    adtape_mpi_abi0_site(NULL);
    return value;
}
API float adtape_fmpi_test_value_f32(float mine) {
    adtape_mpi_abi0_site(SITE);
    const double value = adtape_mpi_abi0_test_value(tested(), mine, 1e-5);
    adtape_mpi_abi0_site(NULL);
    return (float)value;
}

#include "generated/glue.inc"
