/* transport.c: messages of the reverse sweep, on the twin of a communicator, as bytes.
 *
 * A plain message has a tag that says which one it is: the program's tag and the low bits of its number. So it needs no
 * header, and goes from the adjoint and to where it is wanted without a copy that MPI does not make. Its number comes
 * again after 2^number_bits messages, which is more than can be under way.
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

/* Messages that were sent from rooms. Most short ones are sent at once. Now and then the others give their rooms back, if
 * they have arrived: to ask after each takes longer than a short message. */
enum { FEW_OUTGOING = 16, SHORT_BYTES = 2048 };
static const size_t FEW_OUTGOING_BYTES = (size_t)64 << 10;
static struct {
    MPI_Request *requests;
    MPI_Status *statuses;
    char **rooms;
    int *done;         /* places of requests */
    int count, capacity;
    int enough;        /* so many are under way that it is time to ask */
    size_t new_bytes;  /* since the last time, or more than so many bytes */
} outgoing;

static void outgoing_collect(const void *site) {
    int done = 0, left = 0;
    expect(MPI_Testsome(outgoing.count, outgoing.requests, &done, outgoing.done, outgoing.statuses), site,
           "an adjoint's message");
    for (int i = 0; i < done; i++) {
        room_free(outgoing.rooms[outgoing.done[i]]);
        outgoing.rooms[outgoing.done[i]] = NULL;
    }
    for (int i = 0; i < outgoing.count; i++) {
        if (outgoing.rooms[i] != NULL) {
            outgoing.rooms[left] = outgoing.rooms[i];
            outgoing.requests[left++] = outgoing.requests[i];
        }
    }
    outgoing.count = left;
    outgoing.enough = 2 * left > FEW_OUTGOING ? 2 * left : FEW_OUTGOING;
    outgoing.new_bytes = 0;
}

/* A room for a message. */
static char *outgoing_room(size_t bytes, const void *site) {
    if (outgoing.count > 0 && (outgoing.count >= outgoing.enough || outgoing.new_bytes > FEW_OUTGOING_BYTES)) {
        outgoing_collect(site);
    }
    outgoing.new_bytes += bytes;
    return room_allocate(bytes, site);
}

/* A message that is under way from a room. */
static void outgoing_enter(char *room, MPI_Request request, const void *site) {
    if (outgoing.count == outgoing.capacity) {
        const int capacity = outgoing.capacity > 0 ? 2 * outgoing.capacity : FEW_OUTGOING;
        outgoing.requests = reallocate(outgoing.requests, (size_t)capacity * sizeof *outgoing.requests, site);
        outgoing.statuses = reallocate(outgoing.statuses, (size_t)capacity * sizeof *outgoing.statuses, site);
        outgoing.rooms = reallocate(outgoing.rooms, (size_t)capacity * sizeof *outgoing.rooms, site);
        outgoing.done = reallocate(outgoing.done, (size_t)capacity * sizeof *outgoing.done, site);
        outgoing.capacity = capacity;
        outgoing.enough = outgoing.enough > 0 ? outgoing.enough : FEW_OUTGOING;
    }
    outgoing.rooms[outgoing.count] = room;
    outgoing.requests[outgoing.count++] = request;
}

static void outgoing_end(const void *site) {
    expect(MPI_Waitall(outgoing.count, outgoing.requests, outgoing.statuses), site, "an adjoint's message");
    for (int i = 0; i < outgoing.count; i++) {
        room_free(outgoing.rooms[i]);
    }
    free(outgoing.requests);
    free(outgoing.statuses);
    free(outgoing.rooms);
    free(outgoing.done);
    memset(&outgoing, 0, sizeof outgoing);
}

/* Bytes as a count of MPI's and a type. */
static int units(int64_t bytes, MPI_Datatype *type, const void *site) {
    const int64_t size = bytes <= INT_MAX ? 1 : bytes % 8 == 0 ? 8 : 4;
    *type = size == 1 ? MPI_BYTE : size == 8 ? MPI_DOUBLE : MPI_FLOAT;
    if (bytes / size > INT_MAX) {
        fail(ADTAPE_STATUS_COUNT_RANGE, site, "a message of %" PRId64 " bytes\n  send it in parts", bytes);
    }
    return (int)(bytes / size);
}

/* Sends the adjoint of what was received, which is zero then if it is taken; zeros if there is none. Does not wait. */
static void adjoint_send_by(enum packing what, const struct leg *leg, enum operation operation, void *adjoint,
                            const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    const int64_t bytes = packed_bytes(layout, leg->values);
    const bool headed = is_headed(leg);
    const size_t front = headed ? sizeof(struct header) : 0;
    const size_t all = front + (size_t)bytes;
    char *message = outgoing_room(all, site);
    MPI_Request request;
    MPI_Datatype unit;
    int done = 0;
    const int count = units((int64_t)all, &unit, site);
    if (headed) {
        const struct header header = {leg->number, bytes, leg->tag, operation, layout->mixed, layout->kind};
        memcpy(message, &header, sizeof header);
    }
    if (adjoint != NULL) {
        pack(what, adjoint, message + front, layout, leg->values);
    } else {
        memset(message + front, 0, (size_t)bytes);
    }
    expect(MPI_Isend(message, count, unit, leg->peer, headed ? mpi.headed_tag : plain_tag(leg),
                     comms.at[leg->comm]->twin, &request),
           site, "MPI_Isend of an adjoint");
    if (all <= SHORT_BYTES) {
        expect(MPI_Test(&request, &done, MPI_STATUS_IGNORE), site, "MPI_Test of an adjoint");
    }
    if (done) {
        room_free(message);
    } else {
        outgoing_enter(message, request, site);
    }
}

static void adjoint_send(const struct leg *leg, enum operation operation, void *adjoint, const void *site) {
    adjoint_send_by(TAKE, leg, operation, adjoint, site);
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
    MPI_Request request; /* of a plain message */
    int64_t bytes;
    char *data;          /* in a room, or few */
    char few[FEW_DOUBLES * sizeof(double)];
};

/* Stands where the last float of a plain message goes. A message that leaves it there is too short, or ends with it. */
static const uint32_t END_MARK = 0x9e3779b9;

static inline void *end_of(const struct incoming *incoming) {
    return incoming->data + incoming->bytes - sizeof END_MARK;
}

/* Where a plain message goes: `unit` and the count that is returned say how MPI receives it. */
static inline int incoming_room(struct incoming *incoming, MPI_Datatype *unit, const void *site) {
    const int count = units(incoming->bytes, unit, site);
    const bool few = incoming->bytes <= (int64_t)sizeof incoming->few;
    incoming->data = few ? incoming->few : room_allocate((size_t)incoming->bytes, site);
    memcpy(end_of(incoming), &END_MARK, sizeof END_MARK);
    return count;
}

static inline void incoming_begin(struct incoming *incoming, const struct leg *leg, const void *site) {
    incoming->request = MPI_REQUEST_NULL;
    incoming->bytes = packed_bytes(layouts.at[leg->layout], leg->values);
    if (!is_headed(leg)) {
        MPI_Datatype unit;
        const int count = incoming_room(incoming, &unit, site);
        expect(MPI_Irecv(incoming->data, count, unit, leg->peer, plain_tag(leg), comms.at[leg->comm]->twin,
                         &incoming->request),
               site, "MPI_Irecv of an adjoint");
    }
}

static __attribute__((noinline)) void expect_size(int code, const MPI_Status *status, const struct leg *leg,
                                                  int64_t bytes, const struct head *head, const void *site) {
    MPI_Datatype unit;
    int count = 0;
    const int expected = units(bytes, &unit, site);
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
        expect_size(code, status, leg, incoming->bytes, head, site);
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
static void incoming_end(const struct leg *leg, struct incoming *incoming, void *adjoint, const struct head *head,
                         const void *site) {
    if (is_headed(leg)) {
        incoming->data = take_headed(leg, incoming, head, site);
    } else {
        MPI_Status status;
        const int code = MPI_Wait(&incoming->request, &status);
        expect_whole(code, &status, leg, incoming, head, site);
    }
    incoming_add(leg, incoming, adjoint);
}

/* Both at once, where nothing else is to be done meanwhile. */
static void incoming_take(const struct leg *leg, void *adjoint, const struct head *head, const void *site) {
    struct incoming incoming;
    incoming.bytes = packed_bytes(layouts.at[leg->layout], leg->values);
    if (is_headed(leg)) {
        incoming.data = take_headed(leg, &incoming, head, site);
    } else {
        MPI_Status status;
        MPI_Datatype unit;
        const int count = incoming_room(&incoming, &unit, site);
        const int code = MPI_Recv(incoming.data, count, unit, leg->peer, plain_tag(leg), comms.at[leg->comm]->twin,
                                  &status);
        expect_whole(code, &status, leg, &incoming, head, site);
    }
    incoming_add(leg, &incoming, adjoint);
}

/* ---- the library's beginning and end ---- */

static void transport_end(const void *site) {
    outgoing_end(site);
    for (int i = 0; i < comms.count; i++) {
        while (comms.at[i]->arrivals != NULL) {
            struct arrival *arrival = comms.at[i]->arrivals;
            comms.at[i]->arrivals = arrival->next;
            free(arrival);
        }
    }
}
