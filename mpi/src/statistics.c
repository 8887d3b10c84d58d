/* statistics.c: the memory of a machine, shared by its ranks; figures of all ranks. */

API adtape_status_t adtape_mpi_share_memory_limit(MPI_Comm handle, int64_t machine_bytes, int64_t *bytes) {
    const void *site = SITE;
    const struct comm *comm = comm_at(handle, site);
    adtape_memory_t memory = {0};
    MPI_Comm machine;
    int sharers = 1;
    adtape_status_t status = ADTAPE_STATUS_OK;
    if (machine_bytes < 0) {
        status = refuse(ADTAPE_STATUS_COUNT_RANGE, "%" PRId64 " bytes are no limit\n  pass 0 or more", machine_bytes);
    }
    status = verdict(comm, status, "a limit of memory", site);
    if (status != ADTAPE_STATUS_OK) {
        return status;
    }
    (void)adtape_process_set_memory_limit(machine_bytes);
    expect(MPI_Comm_split_type(comm->twin, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &machine), site,
           "MPI_Comm_split_type");
    (void)MPI_Comm_size(machine, &sharers);
    (void)MPI_Comm_free(&machine);
    (void)adtape_process_memory(&memory); /* of a limit of 0, what that stands for */
    const int64_t part = memory.limit_bytes / sharers > 0 ? memory.limit_bytes / sharers : 1;
    status = verdict(comm, adtape_process_set_memory_limit(part), "a limit of memory", site);
    if (bytes != NULL) {
        *bytes = part;
    }
    return status;
}

static void statistics(const struct comm *comm, int32_t count, const double *figures, adtape_mpi_statistic_t *out,
                       const void *site) {
    double *all = allocate((size_t)comm->size * (size_t)count * sizeof *all, site);
    agree_together(comm, STATISTICS, site);
    expect(MPI_Allgather(figures, count, MPI_DOUBLE, all, count, MPI_DOUBLE, comm->twin), site, "MPI_Allgather");
    for (int32_t i = 0; i < count; i++) {
        adtape_mpi_statistic_t s = {all[i], 0, all[i], 0, 0};
        for (int32_t rank = 0; rank < comm->size; rank++) {
            const double figure = all[(int64_t)rank * count + i];
            s.mean += figure / comm->size;
            if (figure < s.least) {
                s.least = figure;
                s.least_rank = rank;
            }
            if (figure > s.most) {
                s.most = figure;
                s.most_rank = rank;
            }
        }
        out[i] = s;
    }
    free(all);
}

API void adtape_mpi_statistics(MPI_Comm handle, int32_t count, const double *figures, adtape_mpi_statistic_t *out) {
    const void *site = SITE;
    const struct comm *comm = comm_at(handle, site);
    if (count < 0 || (count > 0 && (figures == NULL || out == NULL))) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site, "statistics of %d figures, or at NULL", (int)count);
    }
    statistics(comm, count, figures, out, site);
}

API void adtape_mpi_print_statistics(MPI_Comm handle) {
    static const char *const names[] = {"bytes on the tape",          "bytes on the tape at most",
                                        "memory committed, bytes",    "memory committed at most",
                                        "memory limit, bytes",        "spilled to files, bytes",
                                        "read back from files, bytes", "waited for files, seconds"};
    enum { FIGURES = sizeof names / sizeof *names };
    const void *site = SITE;
    const struct comm *comm = comm_at(handle, site);
    adtape_stats_t tape = {0};
    adtape_memory_t memory = {0};
    adtape_mpi_statistic_t all[FIGURES];
    (void)adtape_stats(adtape_self(), &tape);
    (void)adtape_process_memory(&memory);
    const double own[FIGURES] = {(double)tape.bytes,
                                 (double)tape.peak_bytes,
                                 (double)memory.committed_bytes,
                                 (double)memory.peak_committed_bytes,
                                 (double)memory.limit_bytes,
                                 (double)memory.disk_written_bytes,
                                 (double)memory.disk_read_bytes,
                                 (double)memory.disk_wait_nanoseconds * 1e-9};
    statistics(comm, FIGURES, own, all, site);
    if (comm->rank != 0) {
        return;
    }
    (void)fprintf(stderr, "adtape: %d ranks %24s %14s %6s %14s %14s %6s\n", comm->size, "", "least", "rank", "mean",
                  "most", "rank");
    for (int i = 0; i < FIGURES; i++) {
        (void)fprintf(stderr, "  %-30s %16.6g %6d %14.6g %14.6g %6d\n", names[i], all[i].least, (int)all[i].least_rank,
                      all[i].mean, all[i].most, (int)all[i].most_rank);
    }
}
