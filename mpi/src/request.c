/* request.c: requests, and the calls that make them. Those that wait for them are in wait.c.
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
static struct table underway;           /* serial of a request to its struct exchange */

/* What the reverse of a wait has begun. */
struct exchange {
    struct leg leg;
    struct incoming incoming; /* of what was sent; of what was received, its request if it goes from the adjoint */
    void *adjoint;
    struct travelling *travelling; /* of a collective call */
};

/* collective calls: nonblocking.c */
static void collective_end(struct collective *collective, const void *site);
static struct travelling *travel_begin(const void *site);

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
    struct request *request = allocate_zeros(sizeof *request, site);
    request->handle = handle;
    request->serial = draft->serial = ++mpi.requests;
    request->draft = *draft;
    request_enter(request, site);
    return request;
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
        number_enqueue(comm, made);
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
        request->draft.flags &= ~(uint32_t)(LEG_INSIDE | LEG_OUTSIDE);
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
    if (request->collective != NULL) {
        collective_end(request->collective, site);
        free(request);
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
        free(request);
    }
    return draft;
}

/* ---- waits: reverse ---- */

/* The reverse of a request's wait: its adjoint begins to travel. */
static void exchange_begin(struct leg *leg, void *adjoint, const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    if (leg->serial == 0) {
        return; /* MPI_REQUEST_NULL */
    }
    struct exchange *exchange = allocate_zeros(sizeof *exchange, site);
    settle_leg(leg, site);
    exchange->leg = *leg;
    exchange->incoming.request = MPI_REQUEST_NULL;
    if (!(leg->flags & LEG_MESSAGE)) {
        exchange->adjoint = NULL;
    } else if (!(leg->flags & LEG_RECEIVED)) {
        exchange->incoming = incoming_begin(leg, site);
    } else if (adjoint != NULL && layout->dense && !is_headed(leg)) {
        MPI_Datatype unit;
        const int count = units(packed_bytes(layout, leg->values), &unit, site);
        exchange->adjoint = adjoint;
        expect(MPI_Isend(adjoint, count, unit, leg->peer, plain_tag(leg), comms.at[leg->comm]->twin,
                         &exchange->incoming.request),
               site, "MPI_Isend of an adjoint");
    } else {
        adjoint_send(leg, OP_Irecv, adjoint, site);
    }
    *table_at(&underway, leg->serial, site) = (uint64_t)(uintptr_t)exchange;
}

static void wait_reverse(enum operation operation, void *const *given, const void *site) {
    struct head head;
    pop_head(operation, &head, site);
    struct leg *legs = allocate((size_t)head.legs * sizeof *legs, site);
    void **adjoints = allocate((size_t)head.legs * sizeof *adjoints, site);
    pop_legs(legs, head.legs, site);
    for (int i = head.legs - 1; i >= 0; i--) {
        adjoints[i] = leg_adjoint(&legs[i], given != NULL ? given + i : NULL, &head, site);
    }
    /* Records of collective calls lie below that of the wait, the last one on top. */
    for (int i = head.legs - 1; i >= 0; i--) {
        if (legs[i].flags & LEG_COLLECTIVE) {
            struct exchange *exchange = allocate_zeros(sizeof *exchange, site);
            exchange->travelling = travel_begin(site);
            *table_at(&underway, legs[i].serial, site) = (uint64_t)(uintptr_t)exchange;
        }
    }
    for (int i = 0; i < head.legs; i++) {
        if (!(legs[i].flags & LEG_COLLECTIVE)) {
            exchange_begin(&legs[i], adjoints[i], site);
        }
    }
    free(adjoints);
    free(legs);
}

/* ---- Isend, Irecv: reverse ---- */

/* What the reverse of the request's wait has begun. */
static struct exchange *exchange_take(const struct leg *leg, const struct head *head) {
    const uint64_t *found = table_find(&underway, leg->serial);
    if (found == NULL) {
        fail(ADTAPE_STATUS_MISMATCH, head->site,
             "the request of this %s was not waited for by a call of adtape_mpi, or that wait is not reversed",
             operation_names[head->operation]);
    }
    struct exchange *exchange = (struct exchange *)(uintptr_t)*found;
    table_remove(&underway, leg->serial);
    return exchange;
}

/* Waits for the adjoint of what was sent. */
static void sent_reverse(const struct leg *leg, void *adjoint, const struct head *head, const void *site) {
    struct exchange *exchange = exchange_take(leg, head);
    if (leg->flags & LEG_MESSAGE) {
        incoming_end(leg, &exchange->incoming, adjoint, head, site);
    }
    free(exchange);
}

/* Waits until the adjoint of what was received is sent. The reverse of the wait knew where it is. */
static void received_reverse(const struct leg *leg, const struct head *head, const void *site) {
    struct exchange *exchange = exchange_take(leg, head);
    expect(MPI_Wait(&exchange->incoming.request, MPI_STATUS_IGNORE), site, "MPI_Wait for an adjoint that was sent");
    if (exchange->adjoint != NULL) {
        clear_dense(exchange->adjoint, layouts.at[leg->layout], exchange->leg.values);
    }
    free(exchange);
}

static void isend_reverse(void *const *given, const void *site) {
    struct head head;
    struct leg leg;
    pop_head(OP_Isend, &head, site);
    pop_legs(&leg, 1, site);
    void *adjoint = leg_adjoint(&leg, given, &head, site);
    sent_reverse(&leg, adjoint, &head, site);
}

API void adtape_MPI_Isend_b(void) { isend_reverse(NULL, SITE); }
API void adtape_MPI_Isend_b_at(void *buf_b) { isend_reverse(&buf_b, SITE); }

API void adtape_MPI_Irecv_b(void) {
    const void *site = SITE;
    struct head head;
    struct leg leg;
    pop_head(OP_Irecv, &head, site);
    pop_legs(&leg, 1, site);
    received_reverse(&leg, &head, site);
}
