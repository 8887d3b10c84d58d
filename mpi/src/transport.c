/* transport.c: messages of the reverse sweep, on the twin of a communicator, as bytes.
 *
 * A plain message has a tag that says which one it is: the program's tag and the low bits of its number. So it needs no
 * header, and goes from the adjoint and to where it is wanted without a copy that MPI does not make. Its number comes
 * again after 2^number_bits messages, which is more than can be under way.
 *
 * A large plain message goes in two under one tag, its front of few bytes and the rest. A front that is sent synchronously
 * is complete once the partner receives it, and then the partner receives the rest, too.
 *
 * A headed message says in front of its values which one it is. It goes under one tag for all, and what comes before it
 * is asked for is kept. Messages of tags that are too large for plain ones go so, and in check mode all do: there the
 * header also says what the partner reverses. */

struct header {
    uint64_t number;
    int64_t bytes;
    int32_t tag;
    uint32_t operation; /* that the sender reverses */
    int32_t mixed, kind;
};

/* ---- which tag ---- */

/* Of values that ranks exchange for the adjoint of an operation: no plain message has it. */
static int fold_tag(void) { return 1 << mpi.tag_bits | mpi.headed_tag; }

/* Of nonblocking collective calls. Messages of the program with that tag are headed. Their numbers have a bit of their
 * own, for check mode, in which all are. */
static int collective_tag(void) { return mpi.headed_tag - 1; }
static const uint64_t COLLECTIVE_NUMBER = UINT64_C(1) << 63;

static bool is_headed(const struct leg *leg) {
    return mpi.check || (leg->tag >= collective_tag() &&
                         (leg->tag > collective_tag() || leg->number < COLLECTIVE_NUMBER));
}

/* The tests of random programs make all but single values large. */
#ifndef ADTAPE_MPI_LARGE_BYTES
#define ADTAPE_MPI_LARGE_BYTES (128 << 10)
#endif
enum { LARGE_BYTES = ADTAPE_MPI_LARGE_BYTES, FRONT_BYTES = 8 };

/* Whether a plain message of so many bytes goes in two. */
static bool is_large(int64_t bytes) { return __builtin_expect(bytes >= LARGE_BYTES, 0); }

static int plain_tag(const struct leg *leg) {
    const uint64_t number = leg->number & ((UINT64_C(1) << mpi.number_bits) - 1);
    return (int)(number << mpi.tag_bits) | leg->tag;
}

static void tags_begin(void) {
    int *most = NULL, found = 0, bits = 0;
    (void)MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    while (found && bits < 31 && ((INT64_C(2) << bits) - 1) <= *most) {
        bits++;
    }
    mpi.tag_bits = bits / 2;
    mpi.number_bits = bits - mpi.tag_bits;
    mpi.headed_tag = (1 << mpi.tag_bits) - 1;
}

/* ---- sending ---- */

/* Bytes as a count of MPI's and a type. */
static int units(int64_t bytes, MPI_Datatype *type, const void *site) {
    const int64_t size = bytes <= INT_MAX ? 1 : bytes % 8 == 0 ? 8 : 4;
    *type = size == 1 ? MPI_BYTE : size == 8 ? MPI_DOUBLE : MPI_FLOAT;
    if (bytes / size > INT_MAX) {
        fail(ADTAPE_STATUS_COUNT_RANGE, site, "a message of %" PRId64 " bytes\n  send it in parts", bytes);
    }
    return (int)(bytes / size);
}

typedef int send_nonblocking(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* Sends bytes to the leg's peer. */
static inline MPI_Request send_bytes(send_nonblocking *call, const struct leg *leg, int tag, const void *values,
                                     int64_t bytes, const void *site) {
    MPI_Request request;
    MPI_Datatype unit;
    const int count = units(bytes, &unit, site);
    expect(call(values, count, unit, leg->peer, tag, comms.at[leg->comm]->twin, &request), site,
           "MPI_Isend of an adjoint");
    return request;
}

/* Whether a message that was sent needs its values no more. */
static inline bool is_complete(MPI_Request *request, const void *site) {
    int done = 0;
    expect(MPI_Test(request, &done, MPI_STATUS_IGNORE), site, "MPI_Test of an adjoint");
    return done;
}

/* A plain message, or a part of it. */
static inline MPI_Request plain_send(const struct leg *leg, const void *values, int64_t bytes, const void *site) {
    return send_bytes(MPI_Isend, leg, plain_tag(leg), values, bytes, site);
}

/* The front of a large message, from a room. */
static char *front_room(const void *values, const void *site) {
    char *room = room_allocate(FRONT_BYTES, site);
    memcpy(room, values, FRONT_BYTES);
    return room;
}

/* Sends a large message. Returns the request of its rest. */
static __attribute__((noinline)) MPI_Request large_send(const struct leg *leg, const char *values, int64_t bytes,
                                                        const void *site) {
    char *front = front_room(values, site);
    outgoing_enter(front, FRONT_BYTES, plain_send(leg, front, FRONT_BYTES, site), site);
    return plain_send(leg, values + FRONT_BYTES, bytes - FRONT_BYTES, site);
}

/* Sends a plain message, whose values stay until the request is complete. */
static inline MPI_Request plain_send_whole(const struct leg *leg, const char *values, int64_t bytes,
                                           const void *site) {
    return is_large(bytes) ? large_send(leg, values, bytes, site) : plain_send(leg, values, bytes, site);
}

/* A message that is under way from a room. */
struct sent {
    char *room;
    size_t bytes;
    MPI_Request request;
};

/* Sends the adjoint of what was received, which is zero then if it is taken; zeros if there is none. Does not wait.
 * What is dense is set to zero while the message travels. */
static inline struct sent adjoint_begin(enum packing what, const struct leg *leg, enum operation operation,
                                        void *adjoint, const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    const int64_t bytes = packed_bytes(layout, leg->values);
    const bool headed = is_headed(leg);
    const size_t header_bytes = headed ? sizeof(struct header) : 0;
    const size_t all = header_bytes + (size_t)bytes;
    char *message = room_allocate(all, site);
    const bool clears = what == TAKE && adjoint != NULL && layout->dense;
    if (adjoint != NULL) {
        pack(clears ? COPY : what, adjoint, message + header_bytes, layout, leg->values);
    } else {
        memset(message + header_bytes, 0, (size_t)bytes);
    }
    MPI_Request request;
    if (headed) {
        const struct header header = {leg->number, bytes, leg->tag, operation, layout->mixed, layout->kind};
        memcpy(message, &header, sizeof header);
        request = send_bytes(MPI_Isend, leg, mpi.headed_tag, message, (int64_t)all, site);
    } else {
        request = plain_send_whole(leg, message, bytes, site);
    }
    if (clears) {
        clear_dense(adjoint, layout, leg->values);
    }
    return (struct sent){message, all, request};
}

/* Whether a message is sent at once, as far as one can know. */
static inline bool goes_at_once(const struct sent *sent) { return sent->bytes <= outgoing.at_once_bytes; }

/* Gives the room back, now or later. */
static inline void adjoint_end(struct sent *sent, const void *site) {
    const bool is_short = sent->bytes <= SHORT_BYTES;
    if (is_short && is_complete(&sent->request, site)) {
        room_free(sent->room);
        return;
    }
    if (is_short && goes_at_once(sent)) {
        outgoing.at_once_bytes = sent->bytes - 1;
    }
    outgoing_enter(sent->room, sent->bytes, sent->request, site);
}

static void adjoint_send_by(enum packing what, const struct leg *leg, enum operation operation, void *adjoint,
                            const void *site) {
    struct sent sent = adjoint_begin(what, leg, operation, adjoint, site);
    adjoint_end(&sent, site);
}

static void adjoint_send(const struct leg *leg, enum operation operation, void *adjoint, const void *site) {
    adjoint_send_by(TAKE, leg, operation, adjoint, site);
}

/* Sends the front of a message. Whether the partner receives it: asked for about as long as a copy takes. */
static __attribute__((noinline)) bool front_arrives(const struct leg *leg, const char *values, int64_t bytes,
                                                    const void *site) {
    static const double seconds_a_byte = 1e-10;
    char *front = front_room(values, site);
    MPI_Request request = send_bytes(MPI_Issend, leg, plain_tag(leg), front, FRONT_BYTES, site);
    const double begun = MPI_Wtime();
    bool done;
    do {
        done = is_complete(&request, site);
    } while (!done && MPI_Wtime() - begun < seconds_a_byte * (double)bytes);
    if (done) {
        room_free(front);
    } else {
        outgoing_enter(front, FRONT_BYTES, request, site);
    }
    return done;
}

/* Whether an adjoint is a large plain message as it stands in memory. */
static bool goes_in_place(const struct leg *leg, const void *adjoint) {
    const struct layout *layout = layouts.at[leg->layout];
    return is_large(packed_bytes(layout, leg->values)) && adjoint != NULL && layout->dense && !is_headed(leg);
}

/* ---- receiving ---- */

/* A headed message that came before it was asked for. */
struct arrival {
    struct arrival *next;
    int peer;
    struct header header;
    char data[];
};

/* The adjoint of what was sent, on its way. It stays where it is until it has come. */
struct incoming {
    MPI_Request request; /* of a plain message, or its rest */
    MPI_Request front;   /* of a large plain message */
    int64_t bytes;
    char *data;          /* in a room, or few */
    char few[FEW_DOUBLES * sizeof(double)];
};

/* Stands where the last float of a plain message goes. A message that leaves it there is too short, or ends with it. */
static const uint32_t END_MARK = 0x9e3779b9;

static inline void *end_of(const struct incoming *incoming) {
    return incoming->data + incoming->bytes - sizeof END_MARK;
}

/* Where a plain message goes. */
static inline void incoming_room(struct incoming *incoming, const void *site) {
    const bool few = incoming->bytes <= (int64_t)sizeof incoming->few;
    incoming->data = few ? incoming->few : room_allocate((size_t)incoming->bytes, site);
    memcpy(end_of(incoming), &END_MARK, sizeof END_MARK);
}

/* Asks for a plain message, or a part of it. */
static inline MPI_Request plain_receive(const struct leg *leg, void *values, int64_t bytes, const void *site) {
    MPI_Request request;
    MPI_Datatype unit;
    const int count = units(bytes, &unit, site);
    expect(MPI_Irecv(values, count, unit, leg->peer, plain_tag(leg), comms.at[leg->comm]->twin, &request), site,
           "MPI_Irecv of an adjoint");
    return request;
}

static __attribute__((noinline)) void large_receive(struct incoming *incoming, const struct leg *leg,
                                                    const void *site) {
    incoming->front = plain_receive(leg, incoming->data, FRONT_BYTES, site);
    incoming->request = plain_receive(leg, incoming->data + FRONT_BYTES, incoming->bytes - FRONT_BYTES, site);
}

INLINED void incoming_begin(struct incoming *incoming, const struct leg *leg, const void *site) {
    incoming->request = MPI_REQUEST_NULL;
    incoming->bytes = packed_bytes(layouts.at[leg->layout], leg->values);
    if (is_headed(leg)) {
        return;
    }
    incoming_room(incoming, site);
    if (is_large(incoming->bytes)) {
        large_receive(incoming, leg, site);
    } else {
        incoming->request = plain_receive(leg, incoming->data, incoming->bytes, site);
    }
}

/* `part`: of its bytes, in the message that has come. */
static __attribute__((noinline)) void expect_size(int code, const MPI_Status *status, const struct leg *leg,
                                                  int64_t bytes, int64_t part, const struct head *head,
                                                  const void *site) {
    MPI_Datatype unit;
    int count = 0;
    const int expected = units(part, &unit, site);
    if (code == MPI_SUCCESS) {
        (void)MPI_Get_count(status, unit, &count);
    }
    if (code != MPI_SUCCESS || count != expected) {
        fail(ADTAPE_STATUS_MISMATCH, site,
             "the adjoint of what %s sent to rank %d with tag %d has another size there than here, %" PRId64 " bytes\n"
             "  ADTAPE_CHECK=1 says what that rank reverses",
             operation_names[head->operation], leg->peer, leg->tag, bytes);
    }
}

/* A plain message has to come whole: `code` is that of MPI's call. Messages are of floats, so one that has changed the
 * mark is not shorter; to ask MPI takes longer. */
static inline void expect_whole(int code, const MPI_Status *status, const struct leg *leg,
                                const struct incoming *incoming, const struct head *head, const void *site) {
    uint32_t end;
    memcpy(&end, end_of(incoming), sizeof end);
    if (__builtin_expect(code != MPI_SUCCESS || end == END_MARK, 0)) {
        const int64_t front = is_large(incoming->bytes) ? FRONT_BYTES : 0;
        expect_size(code, status, leg, incoming->bytes, incoming->bytes - front, head, site);
    }
}

static struct arrival *arrival_find(struct comm *comm, const struct leg *leg) {
    for (struct arrival **place = &comm->arrivals; *place != NULL; place = &(*place)->next) {
        struct arrival *arrival = *place;
        if (arrival->peer == leg->peer && arrival->header.tag == leg->tag && arrival->header.number == leg->number) {
            *place = arrival->next;
            return arrival;
        }
    }
    return NULL;
}

/* Which message an error is about. */
static void describe_message(char *text, size_t bytes, const struct leg *leg, const struct head *head) {
    if (leg->number >= COLLECTIVE_NUMBER) {
        (void)snprintf(text, bytes, "the adjoint from rank %d of nonblocking collective call number %" PRIu64 ", %s",
                       leg->peer, leg->number - COLLECTIVE_NUMBER, operation_names[head->operation]);
    } else {
        (void)snprintf(text, bytes,
                       "the adjoint of message number %" PRIu64 " with tag %d, which %s sent to rank %d", leg->number,
                       leg->tag, operation_names[head->operation], leg->peer);
    }
}

static __attribute__((cold, noreturn)) void fail_missing(const struct leg *leg, const struct head *head,
                                                         const void *site) {
    const struct comm *comm = comms.at[leg->comm];
    char kept[256] = "\n  nothing has come from it", which[256];
    describe_message(which, sizeof which, leg, head);
    if (comm->arrivals != NULL) {
        const struct arrival *other = comm->arrivals;
        (void)snprintf(kept, sizeof kept,
                       "\n  what has come, and is not asked for: from rank %d, tag %d, number %" PRIu64 ", by %s",
                       other->peer, other->header.tag, other->header.number & ~COLLECTIVE_NUMBER,
                       operation_names[other->header.operation]);
    }
    fail(ADTAPE_STATUS_MISMATCH, site,
         "%s, on a communicator of %d, did not come within %g s (ADTAPE_MPI_TIMEOUT)%s\n"
         "  that rank has not reversed the receive: it stopped, waits itself, or its sweeps do not mirror each other",
         which, comm->size, mpi.timeout, kept);
}

/* The next headed message of the leg's partner. In check mode it has to come in time. */
static struct arrival *arrival_next(const struct leg *leg, const struct head *head, const void *site) {
    struct comm *comm = comms.at[leg->comm];
    const double begun = MPI_Wtime();
    MPI_Message handle;
    MPI_Status status;
    int there = 0, bytes = 0;
    while (mpi.check && !there) {
        expect(MPI_Improbe(leg->peer, mpi.headed_tag, comm->twin, &there, &handle, &status), site, "MPI_Improbe");
        if (!there && MPI_Wtime() - begun > mpi.timeout) {
            fail_missing(leg, head, site);
        }
    }
    if (!there) {
        expect(MPI_Mprobe(leg->peer, mpi.headed_tag, comm->twin, &handle, &status), site, "MPI_Mprobe");
    }
    (void)MPI_Get_count(&status, MPI_BYTE, &bytes);
    struct arrival *arrival = allocate(sizeof *arrival + (size_t)bytes, site);
    arrival->peer = leg->peer;
    expect(MPI_Mrecv(&arrival->header, bytes, MPI_BYTE, &handle, MPI_STATUS_IGNORE), site, "MPI_Mrecv");
    return arrival;
}

static char *take_headed(const struct leg *leg, const struct incoming *incoming, const struct head *head,
                         const void *site) {
    struct comm *comm = comms.at[leg->comm];
    const struct layout *layout = layouts.at[leg->layout];
    struct arrival *arrival = arrival_find(comm, leg);
    while (arrival == NULL) {
        struct arrival *next = arrival_next(leg, head, site);
        next->next = comm->arrivals;
        comm->arrivals = next;
        arrival = arrival_find(comm, leg);
    }
    const struct header *header = &arrival->header;
    if (header->bytes != incoming->bytes || header->kind != (int)layout->kind ||
        header->mixed != (int)layout->mixed) {
        fail(ADTAPE_STATUS_MISMATCH, site,
             "%s sent %" PRId64 " bytes of %s to rank %d with tag %d, and that rank reverses %s of %" PRId64
             " bytes of %s\n"
             "  the two forward calls are not those of one message, or the datatypes do not match",
             operation_names[head->operation], incoming->bytes, layout->kind == F64 ? "double" : "float", leg->peer,
             leg->tag, operation_names[header->operation], header->bytes, header->kind == F64 ? "double" : "float");
    }
    char *data = room_allocate((size_t)incoming->bytes, site);
    memcpy(data, arrival->data, (size_t)incoming->bytes);
    free(arrival);
    return data;
}

static inline void incoming_add(const struct leg *leg, struct incoming *incoming, void *adjoint) {
    if (adjoint != NULL) {
        pack(ADD, adjoint, incoming->data, layouts.at[leg->layout], leg->values);
    }
    if (incoming->data != incoming->few) {
        room_free(incoming->data);
    }
}

/* Waits for an adjoint, and adds it up; NULL: it is not wanted. */
INLINED void incoming_end(const struct leg *leg, struct incoming *incoming, void *adjoint, const struct head *head,
                          const void *site) {
    if (is_headed(leg)) {
        incoming->data = take_headed(leg, incoming, head, site);
    } else {
        MPI_Status status;
        if (is_large(incoming->bytes)) {
            const int code = MPI_Wait(&incoming->front, &status);
            expect_size(code, &status, leg, incoming->bytes, FRONT_BYTES, head, site);
        }
        const int code = MPI_Wait(&incoming->request, &status);
        expect_whole(code, &status, leg, incoming, head, site);
    }
    incoming_add(leg, incoming, adjoint);
}

/* Both at once, where nothing else is to be done meanwhile. */
static void incoming_take(const struct leg *leg, void *adjoint, const struct head *head, const void *site) {
    struct incoming incoming;
    incoming.bytes = packed_bytes(layouts.at[leg->layout], leg->values);
    if (is_headed(leg) || is_large(incoming.bytes)) {
        incoming_begin(&incoming, leg, site);
        incoming_end(leg, &incoming, adjoint, head, site);
        return;
    }
    MPI_Status status;
    MPI_Datatype unit;
    const int count = units(incoming.bytes, &unit, site);
    incoming_room(&incoming, site);
    const int code = MPI_Recv(incoming.data, count, unit, leg->peer, plain_tag(leg), comms.at[leg->comm]->twin,
                              &status);
    expect_whole(code, &status, leg, &incoming, head, site);
    incoming_add(leg, &incoming, adjoint);
}

/* ---- both ---- */

/* Sends the adjoint of what was received, which goes in place, and takes that of what was sent. Nothing is copied if
 * the partner receives: then the wait for it ends, whatever else ranks do. */
static __attribute__((noinline)) void exchange_in_place(const struct leg *sent, void *sent_b,
                                                        const struct leg *received, char *received_b,
                                                        const struct head *head, const void *site) {
    const struct layout *layout = layouts.at[received->layout];
    const int64_t bytes = packed_bytes(layout, received->values), left = bytes - FRONT_BYTES;
    struct incoming incoming;
    incoming_begin(&incoming, sent, site);
    if (front_arrives(received, received_b, bytes, site)) {
        MPI_Request request = plain_send(received, received_b + FRONT_BYTES, left, site);
        expect(MPI_Wait(&request, MPI_STATUS_IGNORE), site, "MPI_Wait for an adjoint that was sent");
    } else {
        char *room = room_allocate((size_t)left, site);
        memcpy(room, received_b + FRONT_BYTES, (size_t)left);
        outgoing_enter(room, (size_t)left, plain_send(received, room, left, site), site);
    }
    clear_dense(received_b, layout, received->values);
    incoming_end(sent, &incoming, sent_b, head, site);
}
