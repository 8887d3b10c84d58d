/* agree.c: check mode compares what all ranks of a communicator reverse before a collective call, which else would
 * wait for ever, or add up what does not belong together. */

struct agreed {
    int32_t operation, root, reduction, kind;
    int64_t values;
};

static void agree_wait(MPI_Request *request, const char *name, const struct comm *comm, const void *site) {
    const double begun = MPI_Wtime();
    int done = 0;
    for (;;) {
        expect(MPI_Test(request, &done, MPI_STATUS_IGNORE), site, "MPI_Iallgather");
        if (done) {
            return;
        }
        if (MPI_Wtime() - begun > mpi.timeout) {
            fail(ADTAPE_STATUS_MISMATCH, site,
                 "reverse of %s on a communicator of %d: not all of its ranks came to it within %g s "
                 "(ADTAPE_MPI_TIMEOUT)\n"
                 "  another rank stopped, waits itself, or its sweeps do not mirror each other",
                 name, comm->size, mpi.timeout);
        }
    }
}

static bool agrees(const struct agreed *a, const struct agreed *b) {
    return a->operation == b->operation && a->root == b->root && a->reduction == b->reduction && a->kind == b->kind &&
           a->values == b->values;
}

/* Operations of the program's own are numbered as a rank has registered them. */
static int32_t agreed_tag(const struct leg *leg) { return leg->tag < USER ? leg->tag : USER; }

/* Ends in an error on each rank that disagrees with the first one. Outside of check mode does nothing. */
static void agree(const struct leg *leg, const struct head *head, const void *site) {
    struct comm *comm = comms.at[leg->comm];
    const struct layout *layout = layouts.at[leg->layout];
    const struct agreed own = {(int32_t)head->operation, leg->peer, agreed_tag(leg), (int32_t)layout->kind, leg->values};
    MPI_Request request;
    if (!mpi.check) {
        return;
    }
    struct agreed *all = allocate((size_t)comm->size * sizeof *all, site);
    expect(MPI_Iallgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, comm->twin, &request), site,
           "MPI_Iallgather");
    agree_wait(&request, operation_names[head->operation], comm, site);
    for (int i = 0; i < comm->size; i++) {
        if (!agrees(&own, &all[i])) {
            fail(ADTAPE_STATUS_MISMATCH, site,
                 "this rank, %d of %d, reverses %s (root %d, %" PRId64 " values), and rank %d %s (root %d, %" PRId64
                 " values)\n"
                 "  all ranks of a communicator reverse its collective calls in one order",
                 comm->rank, comm->size, operation_names[head->operation], own.root, own.values, i,
                 operation_names[all[i].operation], all[i].root, all[i].values);
        }
    }
    free(all);
}
