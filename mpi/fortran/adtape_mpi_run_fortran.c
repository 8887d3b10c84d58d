/* adtape_mpi_run_fortran.c: what the Fortran module adtape_mpi_run calls: communicators by their number, and an error that
 * nobody takes ends in the error handler. */
#include "adtape_mpi_run.h"

#include <stddef.h>

#define API __attribute__((visibility("default"), noinline))
#define SITE __builtin_return_address(0)

static void finish(adtape_status_t status, int32_t *stat, const void *site) {
    if (stat != NULL) {
        *stat = status;
    } else if (status != ADTAPE_STATUS_OK) {
        adtape_abi0_fail(status, adtape_error_message(), site);
    }
}

API void adtape_fmpi_store_create_files(int comm, const char *directory, const char *run, int32_t flags,
                                        adtape_store_t **store, int32_t *stat) {
    finish(adtape_mpi_store_create_files(MPI_Comm_f2c(comm), directory, run, flags, store), stat, SITE);
}

API void adtape_fmpi_checkpoints_create(int comm, const adtape_store_t *store, const char *name,
                                        adtape_mpi_checkpoints_t **k, int32_t *stat) {
    finish(adtape_mpi_checkpoints_create(MPI_Comm_f2c(comm), store, name, k), stat, SITE);
}

/* `which`: as adtape_mpi_run.F90 numbers them. */
API void adtape_fmpi_checkpoints_act(adtape_mpi_checkpoints_t *k, int32_t which, adtape_mpi_part_t part, void *user,
                                     int32_t *stat) {
    finish(which == 0   ? adtape_mpi_checkpoints_save(k, part, user)
           : which == 1 ? adtape_mpi_checkpoints_load(k, part, user)
                        : adtape_mpi_checkpoints_remove(k),
           stat, SITE);
}

API void adtape_fmpi_driver_create(int comm, adtape_driver_t *driver, adtape_step_t step,
                                   adtape_adjoint_step_t adjoint_step, adtape_step_t record_step,
                                   adtape_adjoint_step_t reverse_step, int32_t show_progress, void *user,
                                   adtape_mpi_driver_t **m, int32_t *stat) {
    const adtape_driver_calls_t calls = {.step = step,
                                         .adjoint_step = adjoint_step,
                                         .record_step = record_step,
                                         .reverse_step = reverse_step,
                                         .show_progress = show_progress != 0};
    finish(adtape_mpi_driver_create(MPI_Comm_f2c(comm), driver, &calls, user, m), stat, SITE);
}

API void adtape_fmpi_driver_destroy(adtape_mpi_driver_t *m, int32_t *stat) {
    finish(adtape_mpi_driver_destroy(m), stat, SITE);
}

API void adtape_fmpi_driver_set_store(adtape_mpi_driver_t *m, const adtape_store_t *store, const char *name,
                                      double interval_seconds, int32_t *stat) {
    finish(adtape_mpi_driver_set_store(m, store, name, interval_seconds), stat, SITE);
}

API void adtape_fmpi_driver_create_schedule(adtape_mpi_driver_t *m, int64_t steps, int64_t budget_bytes,
                                            adtape_schedule_t **schedule, int32_t *stat) {
    finish(adtape_mpi_driver_create_schedule(m, steps, budget_bytes, schedule), stat, SITE);
}

API void adtape_fmpi_driver_run(adtape_mpi_driver_t *m, adtape_schedule_t *schedule, adtape_progress_t *done,
                                int32_t *stat) {
    finish(adtape_mpi_driver_run(m, schedule, done), stat, SITE);
}

API void adtape_fmpi_share_memory_limit(int comm, int64_t machine_bytes, int64_t *bytes, int32_t *stat) {
    finish(adtape_mpi_share_memory_limit(MPI_Comm_f2c(comm), machine_bytes, bytes), stat, SITE);
}

API void adtape_fmpi_statistics(int comm, int32_t count, const double *figures, adtape_mpi_statistic_t *out) {
    adtape_mpi_statistics(MPI_Comm_f2c(comm), count, figures, out);
}

API void adtape_fmpi_print_statistics(int comm) { adtape_mpi_print_statistics(MPI_Comm_f2c(comm)); }
