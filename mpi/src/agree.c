/* agree.c: check mode compares what all ranks of a communicator do before a collective call, which else would wait for
 * ever, or add up what does not belong together. */

/* Calls of the library's own that all ranks make together. */
enum together { SEED_CHECK, DERIVATIVE_TEST, RUN_CALL, STATISTICS, FINALIZE };
static const char *const together_names[] = {"adtape_mpi_check_seed", "a derivative test",
                                             "a call of adtape_mpi_run.h on checkpoints or a driver",
                                             "statistics", "adtape_MPI_Finalize"};

struct agreed {
    int32_t operation; /* -1, -2, …: a call of the library's own */
    int32_t forward;   /* it is called, and not reversed */
    int32_t root, reduction, kind, unused;
    int64_t values;
};

static const char *const reduction_names[] = {
    [SUM] = " by MPI_SUM", [PROD] = " by MPI_PROD", [MAX] = " by MPI_MAX", [MIN] = " by MPI_MIN",
    [MAXLOC] = " by MPI_MAXLOC", [MINLOC] = " by MPI_MINLOC", [USER] = " by an operation of the program's own"};

/* What a rank does, for messages. */
static const char *agreed_text(char *text, size_t bytes, const struct agreed *agreed) {
    if (agreed->operation < 0) {
        (void)snprintf(text, bytes, "is at %s", together_names[-1 - agreed->operation]);
    } else {
        const char *by = reduction_names[agreed->reduction];
        (void)snprintf(text, bytes, "%s %s%s (root %d, %" PRId64 " values of %s)",
                       agreed->forward ? "calls" : "reverses", operation_names[agreed->operation],
                       by != NULL ? by : "", agreed->root, agreed->values, agreed->kind == F64 ? "double" : "float");
    }
    return text;
}

static void agree_wait(MPI_Request *request, const struct agreed *own, const struct comm *comm, const void *site) {
    const double begun = MPI_Wtime();
    int done = 0;
    for (;;) {
        expect(MPI_Test(request, &done, MPI_STATUS_IGNORE), site, "MPI_Iallgather");
        if (done) {
            return;
        }
        if (MPI_Wtime() - begun > mpi.timeout) {
            const bool reverse = own->operation >= 0 && !own->forward;
            const char *name =
                own->operation >= 0 ? operation_names[own->operation] : together_names[-1 - own->operation];
            fail(ADTAPE_STATUS_MISMATCH, site,
                 "%s%s on a communicator of %d: not all of its ranks came to it within %g s (ADTAPE_MPI_TIMEOUT)\n"
                 "  another rank stopped, waits itself, or %s",
                 reverse ? "reverse of " : "", name, comm->size, mpi.timeout,
                 reverse ? "its sweeps do not mirror each other" : "does not call it: all ranks do");
        }
    }
}

static bool agrees(const struct agreed *a, const struct agreed *b) {
    return a->operation == b->operation && a->forward == b->forward && a->root == b->root &&
           a->reduction == b->reduction && a->kind == b->kind && a->values == b->values;
}

/* Ends in an error on each rank that disagrees with another one. */
static void agree_on(const struct comm *comm, const struct agreed *own, const void *site) {
    MPI_Request request;
    char mine[160], other[160];
    struct agreed *all = allocate((size_t)comm->size * sizeof *all, site);
    expect(MPI_Iallgather(own, sizeof *own, MPI_BYTE, all, sizeof *own, MPI_BYTE, comm->twin, &request), site,
           "MPI_Iallgather");
    agree_wait(&request, own, comm, site);
    for (int i = 0; i < comm->size; i++) {
        if (!agrees(own, &all[i])) {
            fail(ADTAPE_STATUS_MISMATCH, site,
                 "this rank, %d of %d, %s, and rank %d %s\n"
                 "  all ranks of a communicator make its collective calls, and reverse them, in one order",
                 comm->rank, comm->size, agreed_text(mine, sizeof mine, own), i,
                 agreed_text(other, sizeof other, &all[i]));
        }
    }
    free(all);
}

/* Operations of the program's own are numbered as a rank has registered them. */
static int32_t agreed_tag(const struct leg *leg) { return leg->tag < USER ? leg->tag : USER; }

/* Before the reverse of a collective call. Outside of check mode does nothing. */
static void agree(const struct leg *leg, const struct head *head, const void *site) {
    if (mpi.check) {
        const int32_t kind = (int32_t)layouts.at[leg->layout]->kind;
        const struct agreed own = {.operation = (int32_t)head->operation, .root = leg->peer,
                                   .reduction = agreed_tag(leg), .kind = kind, .values = leg->values};
        agree_on(comms.at[leg->comm], &own, site);
    }
}

/* Before a call of the library's own. */
static void agree_together(const struct comm *comm, enum together call, const void *site) {
    if (mpi.check) {
        const struct agreed own = {.operation = -1 - (int32_t)call};
        agree_on(comm, &own, site);
    }
}
