/* unasked.c: adjoints that have come, and nobody asked for. A partner has reversed its receive, and this rank has not
 * reversed its send: what it computes lacks a part. Found at the end, when no rank sends any more. */

static __attribute__((cold, noreturn)) void fail_unasked(int peer, int tag, const char *reversed, const struct comm *comm,
                                                         const void *site) {
    fail(ADTAPE_STATUS_MISMATCH, site,
         "rank %d has reversed %s of a message with tag %d, on a communicator of %d, and this rank has not reversed its "
         "send\n"
         "  it was sent by MPI's own call, or its reverse call is missing: adjoints lack what it carries",
         peer, reversed, tag, comm->size);
}

/* A message of which MPI says that it is there. */
static __attribute__((cold, noreturn)) void refuse_unasked(const MPI_Status *status, const struct comm *comm,
                                                           const void *site) {
    struct header header;
    int tag = status->MPI_TAG & ((1 << mpi.tag_bits) - 1);
    const char *reversed = "the receive";
    if (status->MPI_TAG == mpi.headed_tag) {
        int bytes = 0;
        (void)MPI_Get_count(status, MPI_BYTE, &bytes);
        char *message = allocate((size_t)bytes, site);
        expect(MPI_Recv(message, bytes, MPI_BYTE, status->MPI_SOURCE, mpi.headed_tag, comm->twin, MPI_STATUS_IGNORE),
               site, "MPI_Recv");
        memcpy(&header, message, sizeof header);
        tag = header.tag;
        reversed = operation_names[header.operation];
    }
    fail_unasked(status->MPI_SOURCE, tag, reversed, comm, site);
}

/* All ranks call this together. */
static void expect_none_unasked(const void *site) {
    /* MPI may need some time until it sees what has come. */
    static const double seconds = 1e-3;
    const struct comm *world = comm_find(MPI_COMM_WORLD);
    compare_all(site);
    agree_together(world, FINALIZE, site);
    expect(MPI_Barrier(world->twin), site, "MPI_Barrier");
    const double begun = MPI_Wtime();
    do {
        for (int i = 0; i < comms.count; i++) {
            struct comm *comm = comms.at[i];
            const struct arrival *arrival = comm->arrivals;
            MPI_Status status;
            int there = 0;
            if (arrival != NULL) {
                fail_unasked(arrival->peer, arrival->header.tag, operation_names[arrival->header.operation], comm, site);
            }
            expect(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->twin, &there, &status), site, "MPI_Iprobe");
            if (there) {
                refuse_unasked(&status, comm, site);
            }
        }
    } while (MPI_Wtime() - begun < seconds);
}
