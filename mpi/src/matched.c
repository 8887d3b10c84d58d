/* matched.c: messages that are matched before they are received: Mprobe, Improbe; Mrecv, Imrecv.
 *
 * A message gets its number when it is matched, as if its receive were posted then and complete at once. */

static struct table matched_messages; /* by handle: their struct matched */

struct matched {
    struct comm *comm;
    struct leg leg; /* peer, tag and number */
};

static uint64_t message_bits(MPI_Message message) {
    uint64_t bits = 0;
    memcpy(&bits, &message, sizeof message);
    return bits;
}

static void matched_enter(struct comm *comm, MPI_Message message, const MPI_Status *status, const void *site) {
    if (message == MPI_MESSAGE_NO_PROC) {
        return;
    }
    expect_few(site);
    mpi.under_way++;
    struct matched *matched = allocate_zeros(sizeof *matched, site);
    matched->comm = comm;
    matched->leg.peer = status->MPI_SOURCE;
    matched->leg.tag = status->MPI_TAG;
    struct request *request = post_receive(comm, matched->leg.peer, matched->leg.tag, site);
    number_received(&matched->leg, comm, request, site);
    *table_at(&matched_messages, message_bits(message), site) = (uint64_t)(uintptr_t)matched;
}

/* The message of a handle, which is taken out; of MPI_MESSAGE_NO_PROC there is none. */
static struct matched matched_take(MPI_Message message, const char *name, const void *site) {
    if (message == MPI_MESSAGE_NO_PROC) {
        return (struct matched){.leg.peer = MPI_PROC_NULL};
    }
    const uint64_t key = message_bits(message), *found = table_find(&matched_messages, key);
    if (found == NULL) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "%s of an unknown message\n  match it by adtape_MPI_Mprobe or adtape_MPI_Improbe", name);
    }
    struct matched *there = (struct matched *)(uintptr_t)*found;
    const struct matched matched = *there;
    table_remove(&matched_messages, key);
    mpi.under_way--;
    free(there);
    return matched;
}

static void matched_end(void) {
    for (size_t i = 0; i < matched_messages.capacity; i++) {
        if (matched_messages.slots[i].used) {
            free((void *)(uintptr_t)matched_messages.slots[i].value);
        }
    }
    table_clear(&matched_messages);
}

/* ---- Mprobe, Improbe: nothing to reverse, but for their record ---- */

API int adtape_MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    const void *site = SITE;
    struct comm *own_comm = comm_at(comm, site);
    MPI_Status own;
    status = status == MPI_STATUS_IGNORE ? &own : status;
    const int code = MPI_Mprobe(source, tag, comm, message, status);
    if (code == MPI_SUCCESS) {
        matched_enter(own_comm, *message, status, site);
        record_push(OP_Mprobe, NULL, 0, site);
    }
    return code;
}

API int adtape_MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    const void *site = SITE;
    struct comm *own_comm = comm_at(comm, site);
    MPI_Status own;
    status = status == MPI_STATUS_IGNORE ? &own : status;
    const int code = MPI_Improbe(source, tag, comm, flag, message, status);
    if (code == MPI_SUCCESS) {
        if (*flag) {
            matched_enter(own_comm, *message, status, site);
        }
        record_push(OP_Improbe, NULL, 0, site);
    }
    return code;
}

API void adtape_MPI_Mprobe_b(void) { probe_reverse(OP_Mprobe, SITE); }
API void adtape_MPI_Improbe_b(void) { probe_reverse(OP_Improbe, SITE); }

/* ---- Mrecv, Imrecv ---- */

API int adtape_MPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) {
    const void *site = SITE;
    expect_ready(site);
    struct leg draft = draft_buffer(buf, count, datatype, site);
    const struct matched matched = matched_take(*message, "MPI_Mrecv", site);
    MPI_Status own;
    status = status == MPI_STATUS_IGNORE ? &own : status;
    const int code = MPI_Mrecv(buf, count, datatype, message, status);
    if (code == MPI_SUCCESS) {
        if (matched.comm != NULL) {
            draft.comm = matched.comm->number;
            draft.number = matched.leg.number;
            draft.flags |= matched.leg.flags;
            leg_received(&draft, status);
        }
        record_push(OP_Mrecv, &draft, 1, site);
    }
    return code;
}

API int adtape_MPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request) {
    const void *site = SITE;
    expect_ready(site);
    struct leg draft = draft_buffer(buf, count, datatype, site);
    const struct matched matched = matched_take(*message, "MPI_Imrecv", site);
    const int code = MPI_Imrecv(buf, count, datatype, message, request);
    if (code == MPI_SUCCESS) {
        draft.comm = matched.comm != NULL ? matched.comm->number : 0;
        draft.peer = matched.leg.peer;
        draft.flags |= matched.leg.flags;
        struct request *made = request_new(&draft, *request, site);
        made->receives = made->settled = true;
        made->number = matched.leg.number;
        draft.flags = LEG_RECEIVED; /* as receive_posted has it */
        record_push(OP_Imrecv, &draft, 1, site);
    }
    return code;
}

API void adtape_MPI_Mrecv_b(void) { recv_reverse(OP_Mrecv, NULL, SITE); }
API void adtape_MPI_Mrecv_b_at(void *buf_b) { recv_reverse(OP_Mrecv, &buf_b, SITE); }

API void adtape_MPI_Imrecv_b(void) { irecv_reverse(OP_Imrecv, SITE); }
