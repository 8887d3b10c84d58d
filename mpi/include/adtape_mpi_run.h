/* adtape_mpi_run.h: what the ranks of a long run do together: checkpoints of all ranks, or of none; one schedule on all
 * ranks; the memory of a machine, shared; statistics of all ranks.
 *
 * Every call is collective on the ranks of its communicator, which adtape_mpi.h knows (adtape_MPI_Init). What fails on one
 * rank fails on all: they return one status, and adtape_error_message() names the rank and says what happened there.
 * docs/mpi.md has the protocol, and why it is so. */
#ifndef ADTAPE_MPI_RUN_H
#define ADTAPE_MPI_RUN_H

#include "adtape.h"
#include "adtape_mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* A store of files for each rank, as adtape_store_create_files makes it for `directory`, `run` and `flags`; its rank is
 * that in `comm`. The directories may be those of different machines. Where a process of an earlier start of the run
 * still has the files of a rank, all ranks wait for its end, ADTAPE_MPI_TIMEOUT seconds (300) at most.
 *
 * On failure `*out` is NULL on all ranks. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_POINTER, and what
 * adtape_store_create_files returns. Undone by adtape_store_destroy on each rank. */
adtape_status_t adtape_mpi_store_create_files(MPI_Comm comm, const char *directory, const char *run, int32_t flags,
                                              adtape_store_t **out);

/* ---- checkpoints of all ranks ------------------------------------------------------------------------------------- */

/* The checkpoints of a run, one for all ranks, each with a part on every rank. There is one that is complete, or none;
 * which one it is, its epoch, all ranks agree on, in whatever moment an earlier start was killed. */
typedef struct adtape_mpi_checkpoints_t adtape_mpi_checkpoints_t;

/* Writes or reads the part of this rank, by adtape_checkpoint_write…, adtape_live_save and their reverse. Returns the
 * status of the first call that failed, or ADTAPE_STATUS_OK. It makes no call of MPI. */
typedef adtape_status_t (*adtape_mpi_part_t)(adtape_checkpoint_t *c, void *user);

/* Finds the last complete checkpoint of this name in the ranks' stores, and checks that each rank has its part of it.
 * `name` has 1 to 60 letters, digits, '-', '_' and '.', the same on all ranks; `store` is this rank's, and lives as long
 * as what is made. Undone by adtape_mpi_checkpoints_destroy.
 *
 * On failure `*out` is NULL. Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER,
 * ADTAPE_STATUS_BAD_ARGUMENT (name); ADTAPE_STATUS_MISMATCH (it was written by another number of ranks; a rank has the
 * part of another one); ADTAPE_STATUS_NOT_FOUND (a rank does not have its part), ADTAPE_STATUS_DAMAGED,
 * ADTAPE_STATUS_OTHER_VERSION, ADTAPE_STATUS_IO. */
adtape_status_t adtape_mpi_checkpoints_create(MPI_Comm comm, const adtape_store_t *store, const char *name,
                                              adtape_mpi_checkpoints_t **out);

/* Releases what the program has in memory; the checkpoint stays. NULL is allowed and does nothing. Not collective. */
void adtape_mpi_checkpoints_destroy(adtape_mpi_checkpoints_t *k);

/* The number of the last complete checkpoint, 0 if there is none. Not collective; all ranks get the same. */
int64_t adtape_mpi_checkpoints_epoch(const adtape_mpi_checkpoints_t *k);

/* Makes a new checkpoint in place of the last one: `write` is called once on each rank. Where a rank fails, the last one
 * stays as it was.
 *
 * Returns ADTAPE_STATUS_OK; what `write` returned on the first rank on which it failed; ADTAPE_STATUS_NULL_HANDLE,
 * ADTAPE_STATUS_NULL_POINTER; ADTAPE_STATUS_MISMATCH (a later start of the run has made one: this process is of a job
 * that should have ended); ADTAPE_STATUS_IO, ADTAPE_STATUS_POISONED, ADTAPE_STATUS_MEMORY_LIMIT,
 * ADTAPE_STATUS_OUT_OF_MEMORY.
 * Cost: that of the part of the slowest rank, three collective calls of some bytes, and a small checkpoint on rank 0. */
adtape_status_t adtape_mpi_checkpoints_save(adtape_mpi_checkpoints_t *k, adtape_mpi_part_t write, void *user);

/* Reads the last complete checkpoint: `read` is called once on each rank.
 *
 * Returns ADTAPE_STATUS_OK; what `read` returned; ADTAPE_STATUS_NOT_FOUND (there is none, or a rank does not have its
 * part), ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_MISMATCH, ADTAPE_STATUS_DAMAGED,
 * ADTAPE_STATUS_IO. What `read` has read on some ranks before another failed is not taken back. */
adtape_status_t adtape_mpi_checkpoints_load(adtape_mpi_checkpoints_t *k, adtape_mpi_part_t read, void *user);

/* Removes the checkpoint, on all ranks: the run begins anew.
 *
 * Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_IO. */
adtape_status_t adtape_mpi_checkpoints_remove(adtape_mpi_checkpoints_t *k);

/* ---- drivers ------------------------------------------------------------------------------------------------------ */

/* A driver on each rank, which perform one schedule together. */
typedef struct adtape_mpi_driver_t adtape_mpi_driver_t;

/* Makes one of the ranks' drivers; `d` is this rank's, where its state and adjoints are registered
 * (adtape_driver_register). It lives longer than what is made. Undone by adtape_mpi_driver_destroy.
 *
 * `calls` are the functions of adtape_driver_set_calls, which is then not called for `d`; `calls` is copied, `user` handed
 * to each. With `show_progress`, rank 0 says what the schedule costs, and how far the run is.
 *
 * On failure `*out` is NULL. Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE or ADTAPE_STATUS_NULL_POINTER. */
adtape_status_t adtape_mpi_driver_create(MPI_Comm comm, adtape_driver_t *d, const adtape_driver_calls_t *calls,
                                         void *user, adtape_mpi_driver_t **out);

/* Releases it, and removes what a run left in the stores that came to its end. NULL on all ranks is allowed.
 *
 * Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_IO. */
adtape_status_t adtape_mpi_driver_destroy(adtape_mpi_driver_t *m);

/* Runs go on after they were killed, as adtape_driver_set_store has it for one process: every `interval_seconds`, and so
 * seldom that it takes a tenth of the time at most, by the clock of rank 0, all ranks leave a checkpoint of this name,
 * together. Snapshots that a schedule has on disk go to the store, too.
 *
 * Returns what adtape_mpi_checkpoints_create returns, and ADTAPE_STATUS_BAD_ARGUMENT for an interval that makes no
 * sense. */
adtape_status_t adtape_mpi_driver_set_store(adtape_mpi_driver_t *m, const adtape_store_t *store, const char *name,
                                            double interval_seconds);

/* Makes the best schedule in memory, as adtape_driver_create_schedule does, for the rank on which the fewest snapshots of
 * the registered state fit into its `budget_bytes`: the same schedule on all ranks.
 *
 * Returns ADTAPE_STATUS_OK, ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE,
 * ADTAPE_STATUS_BAD_ARGUMENT (on some rank nothing is registered, or it does not fit). */
adtape_status_t adtape_mpi_driver_create_schedule(adtape_mpi_driver_t *m, int64_t steps, int64_t budget_bytes,
                                                  adtape_schedule_t **out);

/* Runs the loop and its adjoint by the schedule, on all ranks: before each step they agree that all have come to it, and
 * that none has failed. A step that fails comes to its messages all the same, or the others wait for them.
 *
 * Returns ADTAPE_STATUS_OK; what adtape_driver_run returned on the first rank on which it failed;
 * ADTAPE_STATUS_MISMATCH (ranks have different schedules, or their loops end at different steps). */
adtape_status_t adtape_mpi_driver_run(adtape_mpi_driver_t *m, adtape_schedule_t *s, adtape_progress_t *done);

/* ---- memory, statistics -------------------------------------------------------------------------------------------- */

/* Ranks that share memory share a limit: each process's adtape_process_set_memory_limit becomes its part of
 * `machine_bytes`, all parts of one size. 0 stands for what one process alone would have: ADTAPE_MEMORY_LIMIT, or three
 * quarters of the machine's memory. `*bytes` is the part of this rank; NULL: not wanted.
 *
 * Returns ADTAPE_STATUS_OK or ADTAPE_STATUS_COUNT_RANGE (a negative limit). */
adtape_status_t adtape_mpi_share_memory_limit(MPI_Comm comm, int64_t machine_bytes, int64_t *bytes);

/* A figure of all ranks. */
typedef struct {
    double least, mean, most;
    int32_t least_rank, most_rank; /* the lowest of several */
} adtape_mpi_statistic_t;

/* Least, mean and most of each of `count` figures, on all ranks. */
void adtape_mpi_statistics(MPI_Comm comm, int32_t count, const double *figures, adtape_mpi_statistic_t *out);

/* Rank 0 prints a table on standard error: what the ranks' own tapes hold and held at most, what was spilled, and the
 * memory of adtape in each process; least, mean and most, with their ranks. */
void adtape_mpi_print_statistics(MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
