/* random_delays.h: calls of MPI, of the program and of the library, that come late at random: a layer over MPI's
 * profiling interface. A call in sixteen waits, for up to 255 microseconds. */

static uint64_t delay_state;
static void delay(void) {
    delay_state = delay_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if (delay_state >> 60 == 0) {
        usleep((useconds_t)(delay_state >> 50 & 255));
    }
}

#define DELAYED(name, parameters, arguments) \
    int MPI_##name parameters {              \
        delay();                             \
        return PMPI_##name arguments;        \
    }

/* ---- messages ---- */

#define SEND(name)                                                                                          \
    DELAYED(name, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm),        \
            (buf, count, type, dest, tag, comm))
SEND(Send)
SEND(Ssend)
SEND(Bsend)
DELAYED(Recv, (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status),
        (buf, count, type, source, tag, comm, status))
DELAYED(Isend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request),
        (buf, count, type, dest, tag, comm, request))
DELAYED(Irecv, (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request),
        (buf, count, type, source, tag, comm, request))
DELAYED(Start, (MPI_Request *request), (request))
DELAYED(Startall, (int count, MPI_Request requests[]), (count, requests))
DELAYED(Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status), (source, tag, comm, status))
DELAYED(Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
        (source, tag, comm, message, status))
DELAYED(Improbe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
        (source, tag, comm, flag, message, status))

/* ---- waits ---- */

DELAYED(Wait, (MPI_Request *request, MPI_Status *status), (request, status))
DELAYED(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]), (count, requests, statuses))
DELAYED(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status), (count, requests, index, status))
DELAYED(Waitsome, (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
        (count, requests, done, indices, statuses))
DELAYED(Test, (MPI_Request *request, int *flag, MPI_Status *status), (request, flag, status))
DELAYED(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
        (count, requests, flag, statuses))
DELAYED(Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
        (count, requests, index, flag, status))
DELAYED(Testsome, (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
        (count, requests, done, indices, statuses))

/* ---- collective calls ---- */

DELAYED(Barrier, (MPI_Comm comm), (comm))
DELAYED(Bcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm), (buffer, count, type, root, comm))
DELAYED(Reduce,
        (const void *give, void *get, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
        (give, get, count, type, op, root, comm))
#define REDUCTION(name)                                                                                            \
    DELAYED(name, (const void *give, void *get, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),           \
            (give, get, count, type, op, comm))
REDUCTION(Allreduce)
REDUCTION(Reduce_scatter_block)
REDUCTION(Scan)
REDUCTION(Exscan)
DELAYED(Alltoallv,
        (const void *give, const int counts[], const int places[], MPI_Datatype type, void *get, const int get_counts[],
         const int get_places[], MPI_Datatype get_type, MPI_Comm comm),
        (give, counts, places, type, get, get_counts, get_places, get_type, comm))
DELAYED(Scatterv,
        (const void *give, const int counts[], const int places[], MPI_Datatype type, void *get, int count,
         MPI_Datatype get_type, int root, MPI_Comm comm),
        (give, counts, places, type, get, count, get_type, root, comm))
DELAYED(Gatherv,
        (const void *give, int count, MPI_Datatype type, void *get, const int counts[], const int places[],
         MPI_Datatype get_type, int root, MPI_Comm comm),
        (give, count, type, get, counts, places, get_type, root, comm))
DELAYED(Ibcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
        (buffer, count, type, root, comm, request))
DELAYED(Iallreduce,
        (const void *give, void *get, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
        (give, get, count, type, op, comm, request))
DELAYED(Iallgather,
        (const void *give, int count, MPI_Datatype type, void *get, int get_count, MPI_Datatype get_type, MPI_Comm comm,
         MPI_Request *request),
        (give, count, type, get, get_count, get_type, comm, request))

#undef REDUCTION
#undef SEND
#undef DELAYED
