/* request.c: requests, and the calls that make them. Those that wait for them are in wait.c, the reverse of both in
 * underway.c.
 *
 *   forward   Irecv: serial        Wait: everything about the message
 *   reverse   Wait: sends the adjoint      Irecv: waits until it is sent
 *
 *   forward   Isend: everything    Wait: the message
 *   reverse   Wait: asks for the adjoint   Isend: waits for it and adds it up
 *
 * A request is known by its handle. Implementations give one handle to several sends that are complete at once; which
 * of them a wait means does not matter, since each is waited for. */

static struct table requests_by_handle; /* the oldest of those with a handle; further ones behind twin */

/* collective calls: nonblocking.c */
static void collective_end(struct collective *collective, const void *site);

static uint64_t handle_bits(MPI_Request handle) {
    uint64_t bits = 0;
    memcpy(&bits, &handle, sizeof handle);
    return bits;
}

/* ---- the requests that there are ---- */

static void request_enter(struct request *request, const void *site) {
    uint64_t *first = table_at(&requests_by_handle, handle_bits(request->handle), site);
    struct request *other = (struct request *)(uintptr_t)*first;
    if (other == NULL) {
        *first = (uint64_t)(uintptr_t)request;
        return;
    }
    for (; other->twin != NULL; other = other->twin) {
    }
    other->twin = request;
}

/* The request of a handle, which is taken out; NULL: none. */
static struct request *request_take(MPI_Request handle) {
    const uint64_t key = handle_bits(handle);
    uint64_t *first = table_find(&requests_by_handle, key);
    if (first == NULL) {
        return NULL;
    }
    struct request *request = (struct request *)(uintptr_t)*first;
    if (request->twin != NULL) {
        *first = (uint64_t)(uintptr_t)request->twin;
        request->twin = NULL;
    } else {
        table_remove(&requests_by_handle, key);
    }
    return request;
}

static struct request *request_new(struct leg *draft, MPI_Request handle, const void *site) {
    struct request *request = room_allocate(sizeof *request, site);
    draft->serial = ++mpi.requests;
    mpi.under_way++;
    request->handle = handle;
    request->serial = draft->serial;
    request->number = 0;
    request->twin = request->next = NULL;
    request->receives = request->settled = request->waited = false;
    request->collective = NULL;
    request->comparison = 0;
    request->draft = *draft;
    request_enter(request, site);
    return request;
}

/* ---- how many there may be ---- */

/* Whether a request is that of a message. */
static bool is_of(const struct request *request, const struct leg *message, bool receives) {
    const struct leg *draft = &request->draft;
    const uint64_t number = receives ? request->number : draft->number;
    return request->collective == NULL && request->receives == receives && (!receives || request->settled) &&
           draft->comm == message->comm && draft->peer == message->peer && draft->tag == message->tag &&
           number == message->number;
}

/* The last message with the same plain tag has to have been waited for on this rank. So both partners reverse the two in
 * one order, in which MPI matches them. */
static __attribute__((cold, noinline)) void expect_alone(const struct comm *comm, enum direction direction, int peer,
                                                         int tag, uint64_t number, const void *site) {
    struct leg message = {.comm = comm->number, .peer = peer, .tag = tag, .number = number};
    if (number >> mpi.number_bits == 0 || is_headed(&message)) {
        return;
    }
    message.number -= UINT64_C(1) << mpi.number_bits;
    for (size_t i = 0; i < requests_by_handle.capacity; i++) {
        const struct slot *slot = &requests_by_handle.slots[i];
        const struct request *request = slot->used ? (const struct request *)(uintptr_t)slot->value : NULL;
        for (; request != NULL; request = request->twin) {
            if (is_of(request, &message, direction == RECEIVING)) {
                refuse_many(site);
            }
        }
    }
}

/* ---- Isend, Irecv ---- */

API int adtape_MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm_,
                         MPI_Request *request) {
    const void *site = SITE;
    struct comm *comm = comm_at(comm_, site);
    struct leg draft = draft_buffer(buf, count, datatype, site);
    const int code = MPI_Isend(buf, count, datatype, dest, tag, comm_, request);
    if (code == MPI_SUCCESS) {
        draft_sent(&draft, comm, dest, tag, site);
        (void)request_new(&draft, *request, site);
        record_push(OP_Isend, &draft, 1, site);
    }
    return code;
}

/* A receive that begins now. Of its draft the record keeps which request it is. */
static void receive_posted(struct leg *draft, struct comm *comm, int source, int tag, MPI_Request handle,
                           const void *site) {
    draft->comm = comm->number;
    draft->peer = source;
    draft->tag = tag;
    struct request *made = request_new(draft, handle, site);
    made->receives = true;
    made->peer = source;
    made->tag = tag;
    if (source == MPI_PROC_NULL) {
        made->settled = true;
    } else if (is_unsettled(comm, source, tag)) {
        number_enqueue(comm, made, site);
    } else {
        made->number = number_next(comm, RECEIVING, source, tag, site);
        made->settled = true;
    }
    /* The buffer is pointed to by the wait's record, which comes first in the reverse sweep. */
    draft->flags = LEG_RECEIVED;
}

API int adtape_MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm_,
                         MPI_Request *request) {
    const void *site = SITE;
    struct comm *comm = comm_at(comm_, site);
    struct leg draft = draft_buffer(buf, count, datatype, site);
    const int code = MPI_Irecv(buf, count, datatype, source, tag, comm_, request);
    if (code != MPI_SUCCESS) {
        return code;
    }
    receive_posted(&draft, comm, source, tag, *request, site);
    record_push(OP_Irecv, &draft, 1, site);
    return code;
}

/* ---- waits: forward ---- */

/* A request that is complete: the leg of its wait. Receives are settled when all that completed together are done. */
static void request_complete(struct request *request, const MPI_Status *status) {
    struct leg *leg = &request->draft;
    if (request->collective != NULL) {
        return;
    }
    if (!request->receives) {
        request->draft.flags &= ~(uint32_t)(LEG_INSIDE | LEG_OUTSIDE | LEG_JOINED);
    } else if (leg->peer != MPI_PROC_NULL) {
        leg_received(leg, status);
        request->peer = leg->peer;
        request->tag = leg->tag;
    }
}

/* The leg of a request that is complete and settled, or waits for its number; gives the request up. */
static struct leg request_end(struct request *request, const void *site) {
    if (request == NULL) {
        return (struct leg){0};
    }
    struct leg draft = request->draft;
    mpi.under_way--;
    if (request->collective != NULL) {
        collective_end(request->collective, site);
        room_free(request);
        return draft;
    }
    if (request->receives && !request->settled) {
        number_settle_all(comms.at[draft.comm], site);
    }
    if (request->receives) {
        draft.number = request->settled ? request->number : request->serial;
        draft.flags |= request->settled ? 0 : LEG_LATE;
    }
    if (request->receives && !request->settled) {
        request->waited = true;
    } else {
        room_free(request);
    }
    return draft;
}
