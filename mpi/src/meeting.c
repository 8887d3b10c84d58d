/* meeting.c: before each action in which ranks may wait for each other, they agree that all have come to it.
 *
 *   meeting    a collective call in front of an action: which one, and whether a rank has failed since the last one
 *
 * A rank whose run has failed comes to one more meeting, in which the others learn of it. */

enum meeting { AT_START, AT_POINT, AT_STEP, AT_ADJOINT, AT_RECORD, AT_REVERSE, AT_LAST, AT_END };
static const char *const meeting_names[] = {"the beginning of a run", "a point", "step", "the adjoint of step",
                                            "the record of step",     "the reverse of step", "the last point",
                                            "the end of a run"};

struct adtape_mpi_driver_t {
    const struct comm *comm;
    adtape_driver_t *driver;
    adtape_driver_calls_t calls;
    void *user;
    adtape_mpi_checkpoints_t *checkpoints; /* NULL: runs cannot be resumed */
    double interval, next;                 /* seconds between points; no point before, on rank 0 */
    bool due;                              /* a point, as rank 0 said in the last meeting */
    bool settled;                          /* all ranks know that the run has failed, and why */
    struct verdict why;
    bool finished;                         /* a run came to its end: its point is of no more use */
};

/* All ranks have come to one status. If it is an error, their runs end with it. */
static adtape_status_t settle(adtape_mpi_driver_t *m, adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        m->settled = true;
        m->why.status = status;
        (void)snprintf(m->why.text, sizeof m->why.text, "%s", adtape_error_message());
    }
    return status;
}

/* Whose action is another one than rank 0's. All ranks are here. */
static adtape_status_t meeting_differs(const struct comm *comm, int64_t action, const void *site) {
    int64_t *all = allocate((size_t)comm->size * sizeof *all, site);
    int other = 0;
    expect(MPI_Allgather(&action, 1, MPI_INT64_T, all, 1, MPI_INT64_T, comm->twin), site, "MPI_Allgather");
    while (other + 1 < comm->size && all[other] == all[0]) {
        other++;
    }
    const int64_t first = all[0], second = all[other];
    free(all);
    if (first % 8 == AT_START && second % 8 == AT_START) {
        return refuse(ADTAPE_STATUS_MISMATCH,
                      "ranks 0 and %d of %d have different schedules\n"
                      "  make it by adtape_mpi_driver_create_schedule, or of the same numbers on all ranks",
                      other, comm->size);
    }
    return refuse(ADTAPE_STATUS_MISMATCH,
                  "rank 0 of %d is at %s %" PRId64 ", and rank %d at %s %" PRId64 "\n"
                  "  all ranks make the same schedule, and end their loops at one step",
                  comm->size, meeting_names[first % 8], first / 8, other, meeting_names[second % 8], second / 8);
}

/* This rank comes to an action, or comes no further because of its `status`. Returns one status on all ranks. */
static adtape_status_t meet(adtape_mpi_driver_t *m, enum meeting at, int64_t number, adtape_status_t status,
                            const void *site) {
    const struct comm *comm = m->comm;
    const int64_t action = number * 8 + at;
    const bool due = comm->rank == 0 && m->checkpoints != NULL && MPI_Wtime() >= m->next;
    int64_t mine[4] = {status != ADTAPE_STATUS_OK, action, -action, due}, most[4];
    agree_together(comm, RUN_CALL, site);
    expect(MPI_Allreduce(mine, most, 4, MPI_INT64_T, MPI_MAX, comm->twin), site, "MPI_Allreduce");
    m->due = most[3] != 0;
    if (most[0] == 0 && most[1] == -most[2]) {
        return ADTAPE_STATUS_OK;
    }
    return settle(m, most[0] != 0 ? verdict(comm, status, "its run failed", site)
                                  : meeting_differs(comm, action, site));
}
