/* point.c: blocking calls between two ranks. */

/* The leg gets its communicator and, unless the peer is MPI_PROC_NULL, its message. */
static void draft_sent(struct leg *leg, struct comm *comm, int peer, int tag, const void *site) {
    leg->comm = comm->number;
    leg->peer = peer;
    leg->tag = tag;
    if (peer != MPI_PROC_NULL) {
        leg->number = number_next(comm, SENDING, peer, tag, site);
        leg->flags |= leg->values > 0 && !leg->integers ? LEG_MESSAGE : 0;
    }
}

/* How many floating-point numbers came. The datatype may be gone; MPI counts bytes without it. */
static int64_t values_received(const struct layout *layout, const MPI_Status *status) {
    int bytes = 0;
    (void)MPI_Get_count(status, MPI_BYTE, &bytes);
    if (__builtin_expect(bytes == MPI_UNDEFINED, 0)) {
        MPI_Count more = 0; /* than an int can say */
        (void)MPI_Get_elements_x(status, MPI_BYTE, &more);
        return packed_values(layout, (int64_t)more);
    }
    return packed_values(layout, bytes);
}

/* The leg of a receive, which is complete. Its number is set by the caller. */
static void leg_received(struct leg *leg, const MPI_Status *status) {
    leg->peer = status->MPI_SOURCE;
    leg->tag = status->MPI_TAG;
    leg->flags |= LEG_RECEIVED;
    if (!leg->integers && layouts.at[leg->layout]->values > 0) {
        leg->values = values_received(layouts.at[leg->layout], status);
        leg->flags |= leg->values > 0 ? LEG_MESSAGE : 0;
    }
}

/* ---- Send ---- */

typedef int send_function(const void *, int, MPI_Datatype, int, int, MPI_Comm);

static int send(send_function *call, enum operation operation, const void *buf, int count, MPI_Datatype datatype,
                int dest, int tag, MPI_Comm handle, const void *site) {
    struct comm *comm = comm_at(handle, site);
    struct leg draft = draft_buffer(buf, count, datatype, site);
    const int code = call(buf, count, datatype, dest, tag, handle);
    if (code == MPI_SUCCESS) {
        draft_sent(&draft, comm, dest, tag, site);
        record_push(operation, &draft, 1, site);
    }
    return code;
}

static void send_reverse(enum operation operation, void *const *given, const void *site) {
    struct head head;
    struct leg leg;
    pop_record(operation, &head, &leg, 1, site);
    void *adjoint = leg_adjoint(&leg, given, &head, site);
    if (leg.flags & LEG_MESSAGE) {
        incoming_take(&leg, adjoint, &head, site);
    }
}

#define DEFINE_SEND_(name)                                                                                       \
    API int adtape_MPI_##name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,              \
                              MPI_Comm comm) {                                                                   \
        return send(MPI_##name, OP_##name, buf, count, datatype, dest, tag, comm, SITE);                         \
    }                                                                                                            \
    API void adtape_MPI_##name##_b(void) { send_reverse(OP_##name, NULL, SITE); }                                \
    API void adtape_MPI_##name##_b_at(void *buf_b) { send_reverse(OP_##name, &buf_b, SITE); }
DEFINE_SEND_(Send)
DEFINE_SEND_(Ssend)
DEFINE_SEND_(Bsend)

/* ---- Recv ---- */

/* The number of a message whose receive is complete at once. */
static void number_received(struct leg *leg, struct comm *comm, struct request *request, const void *site) {
    if (request == NULL) {
        leg->number = number_next(comm, RECEIVING, leg->peer, leg->tag, site);
        return;
    }
    request->peer = leg->peer;
    request->tag = leg->tag;
    number_settle_all(comm, site);
    if (request->settled) {
        leg->number = request->number;
        room_free(request);
    } else {
        request->waited = true;
        leg->number = request->serial;
        leg->flags |= LEG_LATE;
    }
}

/* A receive that has to wait for its number, while others do: it is posted, as they are. */
static struct request *post_receive(struct comm *comm, int source, int tag, const void *site) {
    if (source == MPI_PROC_NULL || comm->unsettled == NULL) {
        return NULL;
    }
    struct request *request = room_allocate(sizeof *request, site);
    *request = (struct request){.serial = ++mpi.requests, .peer = source, .tag = tag};
    number_enqueue(comm, request, site);
    return request;
}

API int adtape_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm_,
                        MPI_Status *status) {
    const void *site = SITE;
    struct comm *comm = comm_at(comm_, site);
    struct leg draft = draft_buffer(buf, count, datatype, site);
    struct request *request = post_receive(comm, source, tag, site);
    MPI_Status own;
    status = status == MPI_STATUS_IGNORE ? &own : status;
    const int code = MPI_Recv(buf, count, datatype, source, tag, comm_, status);
    if (code == MPI_SUCCESS) {
        draft.comm = comm->number;
        if (source != MPI_PROC_NULL) {
            leg_received(&draft, status);
            number_received(&draft, comm, request, site);
        }
        record_push(OP_Recv, &draft, 1, site);
    }
    return code;
}

static inline void settle_leg(struct leg *leg, const void *site) {
    if (leg->flags & LEG_LATE) {
        leg->number = number_late(leg->number, site);
        leg->flags &= ~(uint32_t)LEG_LATE;
    }
}

static void recv_reverse(enum operation operation, void *const *given, const void *site) {
    struct head head;
    struct leg leg;
    pop_record(operation, &head, &leg, 1, site);
    void *adjoint = leg_adjoint(&leg, given, &head, site);
    if (leg.flags & LEG_MESSAGE) {
        settle_leg(&leg, site);
        adjoint_send(&leg, operation, adjoint, site);
    }
}

API void adtape_MPI_Recv_b(void) { recv_reverse(OP_Recv, NULL, SITE); }
API void adtape_MPI_Recv_b_at(void *buf_b) { recv_reverse(OP_Recv, &buf_b, SITE); }

/* ---- Sendrecv ---- */

/* Both legs of a call that has sent and received. */
static void exchanged(enum operation operation, struct leg drafts[2], struct comm *comm, struct request *request,
                      int dest, int sendtag, int source, const MPI_Status *status, const void *site) {
    draft_sent(&drafts[0], comm, dest, sendtag, site);
    drafts[1].comm = comm->number;
    if (source != MPI_PROC_NULL) {
        leg_received(&drafts[1], status);
        number_received(&drafts[1], comm, request, site);
    }
    record_push(operation, drafts, 2, site);
}

API int adtape_MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                            void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                            MPI_Comm comm_, MPI_Status *status) {
    const void *site = SITE;
    struct comm *comm = comm_at(comm_, site);
    struct leg drafts[2] = {draft_buffer(sendbuf, sendcount, sendtype, site),
                            draft_buffer(recvbuf, recvcount, recvtype, site)};
    struct request *request = post_receive(comm, source, recvtag, site);
    MPI_Status own;
    status = status == MPI_STATUS_IGNORE ? &own : status;
    const int code = MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                                  recvtag, comm_, status);
    if (code == MPI_SUCCESS) {
        exchanged(OP_Sendrecv, drafts, comm, request, dest, sendtag, source, status, site);
    }
    return code;
}

API int adtape_MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                                    int recvtag, MPI_Comm comm_, MPI_Status *status) {
    const void *site = SITE;
    struct comm *comm = comm_at(comm_, site);
    const struct leg draft = draft_buffer(buf, count, datatype, site);
    struct leg drafts[2] = {draft, draft};
    struct request *request = post_receive(comm, source, recvtag, site);
    MPI_Status own;
    status = status == MPI_STATUS_IGNORE ? &own : status;
    const int code = MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm_, status);
    if (code == MPI_SUCCESS) {
        exchanged(OP_Sendrecv_replace, drafts, comm, request, dest, sendtag, source, status, site);
    }
    return code;
}

/* The adjoint of what was received is on its way before that of what was sent is waited for: both partners can do
 * so. What concerns only the latter comes behind, too, while the message travels. Behind it, too, MPI is asked whether
 * a message is gone that most likely is, and not tiny: it would take the partner's in, and the receive copy that. */
static void sendrecv_reverse(enum operation operation, void *const *given, const void *site) {
    struct head head;
    struct leg sent, received;
    pop_record(operation, &head, &received, 1, site);
    void *received_b = leg_adjoint(&received, given != NULL ? given + 1 : NULL, &head, site);
    const bool sends = received.flags & LEG_MESSAGE, in_place = sends && goes_in_place(&received, received_b);
    if (sends) {
        settle_leg(&received, site);
    }
    const bool is_copied = sends && !in_place;
    struct sent message = {0};
    if (is_copied) {
        message = adjoint_begin(TAKE, &received, operation, received_b, site);
    }
    const bool asks_later = message.bytes > TINY_BYTES && goes_at_once(&message);
    if (is_copied && !asks_later) {
        adjoint_end(&message, site);
    }
    pop_legs(&sent, 1, site);
    void *sent_b = leg_adjoint(&sent, given, &head, site);
    const bool receives = sent.flags & LEG_MESSAGE;
    if (in_place && receives) {
        exchange_in_place(&sent, sent_b, &received, received_b, &head, site);
    } else if (in_place) {
        adjoint_send(&received, operation, received_b, site);
    } else if (receives) {
        incoming_take(&sent, sent_b, &head, site);
    }
    if (is_copied && asks_later) {
        adjoint_end(&message, site);
    }
}

API void adtape_MPI_Sendrecv_b(void) { sendrecv_reverse(OP_Sendrecv, NULL, SITE); }
API void adtape_MPI_Sendrecv_b_at(void *sendbuf_b, void *recvbuf_b) {
    void *const given[2] = {sendbuf_b, recvbuf_b};
    sendrecv_reverse(OP_Sendrecv, given, SITE);
}

API void adtape_MPI_Sendrecv_replace_b(void) { sendrecv_reverse(OP_Sendrecv_replace, NULL, SITE); }
API void adtape_MPI_Sendrecv_replace_b_at(void *buf_b) {
    void *const given[2] = {buf_b, buf_b};
    sendrecv_reverse(OP_Sendrecv_replace, given, SITE);
}

/* ---- Probe: nothing to reverse, but for its record ---- */

API int adtape_MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    expect_ready(SITE);
    const int code = MPI_Probe(source, tag, comm, status);
    if (code == MPI_SUCCESS) {
        record_push(OP_Probe, NULL, 0, SITE);
    }
    return code;
}

API int adtape_MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    expect_ready(SITE);
    const int code = MPI_Iprobe(source, tag, comm, flag, status);
    if (code == MPI_SUCCESS) {
        record_push(OP_Iprobe, NULL, 0, SITE);
    }
    return code;
}

static void probe_reverse(enum operation operation, const void *site) {
    struct head head;
    pop_head(operation, &head, site);
}

API void adtape_MPI_Probe_b(void) { probe_reverse(OP_Probe, SITE); }
API void adtape_MPI_Iprobe_b(void) { probe_reverse(OP_Iprobe, SITE); }
