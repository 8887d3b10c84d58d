/* collective.c: Barrier, Bcast; what collective calls share. */

/* The datatype of packed values. */
static MPI_Datatype unit_of(const struct layout *layout) { return layout->kind == F32 ? MPI_FLOAT : MPI_DOUBLE; }

/* A count of values as MPI takes it. */
static int int_count(int64_t values, const void *site) {
    if (values > INT_MAX) {
        fail(ADTAPE_STATUS_COUNT_RANGE, site, "a collective call on %" PRId64 " values\n  make it in parts", values);
    }
    return (int)values;
}

/* The adjoint of a buffer, packed and zero then; zeros if it has none. In a room. */
static void *take_adjoint(void *adjoint, const struct leg *leg, const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    const size_t bytes = (size_t)packed_bytes(layout, leg->values);
    void *packed = room_allocate(bytes, site);
    if (adjoint != NULL) {
        pack(TAKE, adjoint, packed, layout, leg->values);
    } else {
        memset(packed, 0, bytes);
    }
    return packed;
}

static void add_adjoint(void *adjoint, void *packed, const struct leg *leg) {
    if (adjoint != NULL) {
        pack(ADD, adjoint, packed, layouts.at[leg->layout], leg->values);
    }
}

/* The record of a collective call has one leg at least, which says where it was. */
static void draft_collective(struct leg *draft, const struct comm *comm, int root, int operation) {
    draft->comm = comm->number;
    draft->peer = root;
    draft->tag = operation;
}

/* Sizes and places depend on the root before MPI sees it. `in_place`: a buffer of this rank, which the root alone may
 * leave out. */
static void expect_root(enum operation operation, int root, bool in_place, const struct comm *comm, const void *site) {
    if (root < 0 || root >= comm->size) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site, "%s with root %d on a communicator of %d\n  the root is one of its ranks",
             operation_names[operation], root, comm->size);
    }
    if (in_place && comm->rank != root) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "%s with MPI_IN_PLACE on rank %d, and the root is rank %d\n  only the root has two buffers that can be one",
             operation_names[operation], comm->rank, root);
    }
}

/* The code of a call on a twin, as if it had been on the program's communicator. */
static int passed_on(int code, MPI_Comm handle) {
    if (code != MPI_SUCCESS) {
        (void)MPI_Comm_call_errhandler(handle, code);
    }
    return code;
}

/* ---- Barrier ---- */

API int adtape_MPI_Barrier(MPI_Comm comm_) {
    const void *site = SITE;
    struct comm *comm = comm_at(comm_, site);
    const int code = MPI_Barrier(comm_);
    if (code == MPI_SUCCESS) {
        struct leg draft = {0};
        draft_collective(&draft, comm, 0, 0);
        record_push(OP_Barrier, &draft, 1, site);
    }
    return code;
}

API void adtape_MPI_Barrier_b(void) {
    const void *site = SITE;
    struct head head;
    struct leg leg;
    pop_record(OP_Barrier, &head, &leg, 1, site);
    agree(&leg, &head, site);
    expect(MPI_Barrier(comms.at[leg.comm]->twin), site, "MPI_Barrier");
}

/* ---- Bcast: the root's adjoint is the sum of all, the others' are zero ---- */

API int adtape_MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm_) {
    const void *site = SITE;
    struct comm *comm = comm_at(comm_, site);
    struct leg draft = draft_buffer(buffer, count, datatype, site);
    const int code = MPI_Bcast(buffer, count, datatype, root, comm_);
    if (code == MPI_SUCCESS) {
        draft_collective(&draft, comm, root, 0);
        record_push(OP_Bcast, &draft, 1, site);
    }
    return code;
}

/* Values of both kinds have no operation of MPI that adds them up: the root does. */
static void sum_mixed(void *packed, void *adjoint, const struct leg *leg, const void *site) {
    const struct comm *comm = comms.at[leg->comm];
    const int64_t bytes = packed_bytes(layouts.at[leg->layout], leg->values);
    const int count = int_count(bytes, site);
    char *all = comm->rank == leg->peer ? allocate((size_t)(bytes * comm->size), site) : NULL;
    expect(MPI_Gather(packed, count, MPI_BYTE, all, count, MPI_BYTE, leg->peer, comm->twin), site, "MPI_Gather");
    for (int i = 0; all != NULL && i < comm->size; i++) {
        add_adjoint(adjoint, all + i * bytes, leg);
    }
    free(all);
}

static void sum_at_root(void *packed, void *adjoint, const struct leg *leg, const void *site) {
    const struct comm *comm = comms.at[leg->comm];
    const int count = int_count(leg->values, site);
    const bool root = comm->rank == leg->peer;
    expect(MPI_Reduce(root ? MPI_IN_PLACE : packed, root ? packed : NULL, count, unit_of(layouts.at[leg->layout]),
                      MPI_SUM, leg->peer, comm->twin),
           site, "MPI_Reduce");
    if (root) {
        add_adjoint(adjoint, packed, leg);
    }
}

/* What lies one behind the other needs no copy; another rank's may be of another layout, of as many values. */
static void sum_dense(void *adjoint, const struct leg *leg, const void *site) {
    const struct comm *comm = comms.at[leg->comm];
    const struct layout *layout = layouts.at[leg->layout];
    const bool root = comm->rank == leg->peer;
    expect(MPI_Reduce(root ? MPI_IN_PLACE : adjoint, root ? adjoint : NULL, int_count(leg->values, site),
                      unit_of(layout), MPI_SUM, leg->peer, comm->twin),
           site, "MPI_Reduce");
    if (!root) {
        clear_dense(adjoint, layout, leg->values);
    }
}

static void bcast_reverse(void *const *given, const void *site) {
    struct head head;
    struct leg leg;
    pop_record(OP_Bcast, &head, &leg, 1, site);
    void *adjoint = leg_adjoint(&leg, given, &head, site);
    agree(&leg, &head, site);
    if (leg.values == 0 || leg.integers) {
        return;
    }
    if (adjoint != NULL && layouts.at[leg.layout]->dense) {
        sum_dense(adjoint, &leg, site);
        return;
    }
    void *packed = take_adjoint(adjoint, &leg, site);
    if (layouts.at[leg.layout]->mixed) {
        sum_mixed(packed, adjoint, &leg, site);
    } else {
        sum_at_root(packed, adjoint, &leg, site);
    }
    room_free(packed);
}

API void adtape_MPI_Bcast_b(void) { bcast_reverse(NULL, SITE); }
API void adtape_MPI_Bcast_b_at(void *buffer_b) { bcast_reverse(&buffer_b, SITE); }
