/* check.h: what the tests of adtape_mpi check with. A check that fails names rank and place, and ends all ranks. */
#ifndef MPI_CHECK_H
#define MPI_CHECK_H

#include <adtape.h>
#include <adtape_mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, ranks;

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "%s:%d: rank %d of %d: check failed: %s\n", __FILE__, __LINE__, me, \
                    ranks, #condition);                                                         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                       \
        }                                                                                       \
    } while (0)

static inline void begin(int *argc, char ***argv) {
    adtape_MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* An object of the program with its adjoint. */
static inline void active(void *x, void *adjoint, size_t bytes, const char *label) {
    adtape_live_add(NULL, x, (int64_t)bytes, ADTAPE_KIND_STATIC, label);
    if (adjoint != NULL) {
        adtape_live_set_adjoint(NULL, x, adjoint, (int64_t)bytes);
    }
}

static inline void ended(void *x) { adtape_live_remove(NULL, x); }

static inline void check_tape_is_empty(void) {
    adtape_stats_t stats;
    CHECK(adtape_stats(adtape_self(), &stats) == ADTAPE_STATUS_OK);
    CHECK(stats.bytes == 0 && stats.pending_bits == 0);
}

#endif
