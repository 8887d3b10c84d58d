/* persistent.c: requests that are started again and again. What makes and frees them leaves no record; Start leaves that
 * of Isend or Irecv. Its messages are numbered when they start. The address of a buffer is looked up then, too. */

struct persistent {
    const void *buffer;
    int64_t elements;
    int layout, peer, tag;
    bool receives;
    struct comm *comm;
};
static struct table persistents; /* by handle */

static struct persistent *persistent_find(MPI_Request handle) {
    const uint64_t *found = table_find(&persistents, handle_bits(handle));
    return found != NULL ? (struct persistent *)(uintptr_t)*found : NULL;
}

static void persistent_enter(struct persistent made, MPI_Request handle, const void *site) {
    struct persistent *persistent = allocate(sizeof *persistent, site);
    *persistent = made;
    *table_at(&persistents, handle_bits(handle), site) = (uint64_t)(uintptr_t)persistent;
}

typedef int init_function(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int send_init(init_function *call, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm handle, MPI_Request *request, const void *site) {
    struct comm *comm = comm_at(handle, site);
    const int number = draft_buffer(buf, count, datatype, site).layout;
    const int code = call(buf, count, datatype, dest, tag, handle, request);
    if (code == MPI_SUCCESS) {
        persistent_enter((struct persistent){buf, count, number, dest, tag, false, comm}, *request, site);
    }
    return code;
}

#define DEFINE_INIT_(name)                                                                                       \
    API int adtape_MPI_##name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,              \
                              MPI_Comm comm, MPI_Request *request) {                                             \
        return send_init(MPI_##name, buf, count, datatype, dest, tag, comm, request, SITE);                      \
    }
DEFINE_INIT_(Send_init)
DEFINE_INIT_(Ssend_init)
DEFINE_INIT_(Bsend_init)

API int adtape_MPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm_,
                             MPI_Request *request) {
    const void *site = SITE;
    struct comm *comm = comm_at(comm_, site);
    const int number = draft_buffer(buf, count, datatype, site).layout;
    const int code = MPI_Recv_init(buf, count, datatype, source, tag, comm_, request);
    if (code == MPI_SUCCESS) {
        persistent_enter((struct persistent){buf, count, number, source, tag, true, comm}, *request, site);
    }
    return code;
}

/* ---- starting ---- */

static struct persistent *persistent_expect(MPI_Request handle, const char *name, const void *site) {
    struct persistent *persistent = handle != MPI_REQUEST_NULL ? persistent_find(handle) : NULL;
    if (persistent == NULL) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "%s of an unknown request\n"
             "  make it by adtape_MPI_Send_init, …_Ssend_init, …_Bsend_init or adtape_MPI_Recv_init",
             name);
    }
    if (table_find(&requests_by_handle, handle_bits(handle)) != NULL) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site, "%s of a request that is under way\n  wait for it before", name);
    }
    return persistent;
}

/* Starts a request, and makes the leg of its record. */
static int start(MPI_Request *request, const char *name, struct leg *draft, const void *site) {
    const MPI_Request old = *request;
    struct persistent *p = persistent_expect(old, name, site);
    *draft = draft_layout(p->buffer, p->elements, p->layout, false, site);
    const int code = MPI_Start(request);
    if (code != MPI_SUCCESS) {
        return code;
    }
    if (*request != old) {
        table_remove(&persistents, handle_bits(old));
        *table_at(&persistents, handle_bits(*request), site) = (uint64_t)(uintptr_t)p;
    }
    if (p->peer == MPI_PROC_NULL) {
        /* Nothing is under way: MPICH's calls that wait for some pass over it, as over one that was not started. */
        *draft = (struct leg){0};
    } else if (p->receives) {
        receive_posted(draft, p->comm, p->peer, p->tag, *request, site);
    } else {
        draft_sent(draft, p->comm, p->peer, p->tag, site);
        (void)request_new(draft, *request, site);
    }
    return code;
}

API int adtape_MPI_Start(MPI_Request *request) {
    struct leg draft;
    const void *site = SITE;
    expect_ready(site);
    const int code = start(request, "MPI_Start", &draft, site);
    if (code == MPI_SUCCESS) {
        record_push(OP_Start, &draft, 1, site);
    }
    return code;
}

API int adtape_MPI_Startall(int count, MPI_Request array_of_requests[]) {
    const void *site = SITE;
    expect_ready(site);
    if (count < 0) {
        return MPI_Startall(count, array_of_requests);
    }
    struct leg *drafts = allocate((size_t)count * sizeof *drafts, site);
    int code = MPI_SUCCESS, started = 0;
    while (started < count && code == MPI_SUCCESS) {
        code = start(&array_of_requests[started], "MPI_Startall", &drafts[started], site);
        started += code == MPI_SUCCESS;
    }
    record_push(OP_Startall, drafts, started, site);
    free(drafts);
    return code;
}

API int adtape_MPI_Request_free(MPI_Request *request) {
    struct persistent *persistent = persistent_expect(*request, "MPI_Request_free", SITE);
    table_remove(&persistents, handle_bits(*request));
    free(persistent);
    return MPI_Request_free(request);
}

/* ---- reverse ---- */

static void start_reverse(enum operation operation, void *const *given, const void *site) {
    struct head head;
    pop_head(operation, &head, site);
    struct leg *legs = allocate((size_t)head.legs * sizeof *legs, site);
    void **adjoints = allocate((size_t)head.legs * sizeof *adjoints, site);
    pop_legs(legs, head.legs, site);
    for (int i = head.legs - 1; i >= 0; i--) {
        const bool receives = legs[i].flags & LEG_RECEIVED;
        adjoints[i] = receives ? NULL : leg_adjoint(&legs[i], given != NULL ? given + i : NULL, &head, site);
    }
    for (int i = head.legs - 1; i >= 0; i--) {
        if (legs[i].flags & LEG_RECEIVED) {
            received_reverse(&legs[i], &head, site);
        } else if (legs[i].serial != 0) {
            sent_reverse(&legs[i], adjoints[i], &head, site);
        }
    }
    free(adjoints);
    free(legs);
}

API void adtape_MPI_Start_b(void) { start_reverse(OP_Start, NULL, SITE); }
API void adtape_MPI_Start_b_at(void *buf_b) { start_reverse(OP_Start, &buf_b, SITE); }
API void adtape_MPI_Startall_b(void) { start_reverse(OP_Startall, NULL, SITE); }
API void adtape_MPI_Startall_b_at(void *const bufs_b[]) { start_reverse(OP_Startall, bufs_b, SITE); }

static void persistents_end(void) {
    for (size_t i = 0; i < persistents.capacity; i++) {
        if (persistents.slots[i].used) {
            free((void *)(uintptr_t)persistents.slots[i].value);
        }
    }
    table_clear(&persistents);
}
