/* nonblocking.c: collective calls that are waited for later, by the same calls as messages.
 *
 *   forward   Ibcast: its serial          Wait: the record of the call, and above it that of the wait
 *   reverse   Wait: adjoints begin to travel     Ibcast: they are waited for and added up
 *
 * Ranks may wait for several calls in different orders, so the reverse cannot be collective calls of MPI, which have to
 * begin in one order. Adjoints travel as messages between pairs of ranks, under the number that the call has on its
 * communicator: all ranks begin such calls in one order. For each rank there is a block of what is got, whose adjoint
 * goes to it, and one of what is given, to which the adjoint that comes from it is added.
 *
 *              got from                     given to
 *   Ibcast     the root                     root: all
 *   Ireduce    root: all, one block         the root
 *   Iallreduce all, one block               all
 *   Iscan      this rank and those below    this rank and those above
 *   Ireduce_scatter   all: the rank's part  to each its part
 *   Igather, Iscatter, Iallgather, Ialltoall: as in exchange.c
 *
 * Results of a sum have the adjoints of what is given. Of other operations: gathered.c. */

/* A call that is under way. */
struct collective {
    enum operation operation;
    const struct comm *comm;
    struct side given, got;
    uint64_t number;
    struct reduce reduce; /* of a reduction by another operation than SUM, and what all ranks gave; else NULL */
    char *all;
    int64_t first, values; /* this rank's part of the result */
};

static struct side no_side(int ranks, const void *site) { return (struct side){.blocks = blocks_new(ranks, site)}; }

/* A buffer that is one block for each of the ranks from `first` on, up to `end`. `pairs`: as for draft_any. */
static struct side shared_buffer(const void *buffer, int count, MPI_Datatype type, bool pairs, const struct comm *comm,
                                 int first, int end, const void *site) {
    struct side side = no_side(comm->size, site);
    side.draft = draft_any(buffer, count, type, pairs, site);
    for (int i = first; i < end; i++) {
        side.blocks.values[i] = side.draft.values;
    }
    return side;
}

static struct side shared_side(const void *buffer, int count, MPI_Datatype type, const struct comm *comm, int first,
                               int end, const void *site) {
    return shared_buffer(buffer, count, type, false, comm, first, end, site);
}

/* A side of one block for each rank, of that which has one block for the rank `of` alone. */
static struct side side_with(struct side one, const struct comm *comm, int of, const void *site) {
    struct side side = no_side(comm->size, site);
    side.draft = one.draft;
    side.blocks.values[of] = one.blocks.ranks > 0 ? one.blocks.values[0] : 0;
    side.blocks.places[of] = one.blocks.ranks > 0 ? one.blocks.places[0] : 0;
    blocks_free(&one.blocks);
    return side;
}

/* The record of the call that has begun, and its request. NULL if it has failed. */
static struct collective *begin_collective(int code, const struct agreed *own, struct side given, struct side got,
                                           struct comm *comm, MPI_Request handle, const void *site) {
    if (code != MPI_SUCCESS) {
        blocks_free(&given.blocks);
        blocks_free(&got.blocks);
        return NULL;
    }
    expect_few(site);
    const enum operation operation = (enum operation)own->operation;
    struct collective *collective = allocate(sizeof *collective, site);
    *collective = (struct collective){.operation = operation, .comm = comm, .given = given, .got = got,
                                      .number = comm->collectives++, .reduce.reduction = NO_REDUCTION};
    struct leg draft = {.comm = comm->number, .flags = LEG_COLLECTIVE};
    struct request *request = request_new(&draft, handle, site);
    request->collective = collective;
    request->comparison = agree_later(comm, own, site);
    draft.flags = 0;
    record_push(operation, &draft, 1, site);
    return collective;
}

static int began(int code, enum operation operation, int root, struct side given, struct side got, struct comm *comm,
                 MPI_Request handle, const void *site) {
    const struct agreed own = {.operation = (int32_t)operation, .forward = true, .root = root};
    (void)begin_collective(code, &own, given, got, comm, handle, site);
    return code;
}

/* The record of the call, when it is complete. */
static void collective_end(struct collective *collective, const void *site) {
    struct leg drafts[2] = {collective->given.draft, collective->got.draft};
    for (int i = 0; i < 2; i++) {
        draft_collective(&drafts[i], collective->comm, -1, collective->reduce.reduction);
        drafts[i].serial = collective->number;
    }
    if (collective->all != NULL) {
        gathered_end(&collective->reduce, &drafts[0], collective->all, collective->first, collective->values);
    }
    push_blocks(&collective->given.blocks, site);
    push_blocks(&collective->got.blocks, site);
    push_bytes(&collective->operation, sizeof collective->operation, site);
    record_push(collective->operation, drafts, 2, site);
    blocks_free(&collective->given.blocks);
    blocks_free(&collective->got.blocks);
    free(collective);
}

/* ---- calls ---- */

API int adtape_MPI_Ibarrier(MPI_Comm comm_, MPI_Request *request) {
    struct comm *comm = comm_at(comm_, SITE);
    const int code = MPI_Ibarrier(comm_, request);
    return began(code, OP_Ibarrier, -1, no_side(comm->size, SITE), no_side(comm->size, SITE), comm, *request, SITE);
}

API int adtape_MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm_,
                          MPI_Request *request) {
    struct comm *comm = comm_at(comm_, SITE);
    expect_root(OP_Ibcast, root, false, comm, SITE);
    const bool here = comm->rank == root;
    struct side given = here ? shared_side(buffer, count, datatype, comm, 0, comm->size, SITE) : no_side(comm->size, SITE);
    struct side got = here ? no_side(comm->size, SITE) : shared_side(buffer, count, datatype, comm, root, root + 1, SITE);
    given.blocks.values[root] = 0;
    const int code = MPI_Ibcast(buffer, count, datatype, root, comm_, request);
    return began(code, OP_Ibcast, root, given, got, comm, *request, SITE);
}

/* Whether a reduction is made of what all ranks gave: see gathered.c. */
static bool is_gathered(const struct reduce *call, const struct leg *draft) {
    if (!is_active(call, draft)) {
        return false;
    }
    refuse_reduction(call);
    return call->reduction != SUM;
}

static int sum_began(int code, const struct reduce *call, struct side given, struct side got, struct comm *comm,
                     MPI_Request handle) {
    const struct agreed own = agreed_call(call);
    (void)begin_collective(code, &own, given, got, comm, handle, call->site);
    return code;
}

/* This rank's result are `values` values of that of all, from `first` on. */
static int gathering_began(const struct reduce *call, struct side given, struct side got, int count, MPI_Datatype type,
                           int64_t first, int64_t values, struct comm *comm, MPI_Comm handle, MPI_Request *request) {
    char *all;
    const int code = gathered_begin(call, count, type, handle, &all, request);
    const struct agreed own = agreed_call(call);
    struct collective *begun = begin_collective(code, &own, given, got, comm, *request, call->site);
    if (begun != NULL) {
        begun->reduce = *call;
        begun->all = all;
        begun->first = first;
        begun->values = values;
    }
    return code;
}

/* The sides of a reduction: given to the ranks from `to` to `to_end`, got from those from `from` to `from_end`. */
static int reduction_began(enum operation operation, const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                           MPI_Op op, int root, MPI_Comm handle, MPI_Request *request, const void *site) {
    struct comm *comm = comm_at(handle, site);
    const int all = comm->size, own = comm->rank;
    const void *x = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    const bool scan = operation == OP_Iscan, has_result = root < 0 || root == own;
    struct side given = root >= 0 ? shared_buffer(x, count, type, true, comm, root, root + 1, site)
                                  : shared_buffer(x, count, type, true, comm, scan ? own : 0, all, site);
    struct side got = has_result ? shared_buffer(recvbuf, count, type, true, comm, 0, scan ? own + 1 : all, site)
                                 : no_side(all, site);
    const struct reduce call =
        reduce_call(operation, x, has_result ? recvbuf : NULL, &given.draft, op, root, comm, site);
    if (is_gathered(&call, &given.draft)) {
        return gathering_began(&call, given, got, count, type, 0, call.values, comm, handle, request);
    }
    const int code = scan         ? MPI_Iscan(sendbuf, recvbuf, count, type, op, handle, request)
                     : root >= 0 ? MPI_Ireduce(sendbuf, recvbuf, count, type, op, root, handle, request)
                                 : MPI_Iallreduce(sendbuf, recvbuf, count, type, op, handle, request);
    return sum_began(code, &call, given, got, comm, *request);
}

API int adtape_MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                           MPI_Comm comm, MPI_Request *request) {
    expect_root(OP_Ireduce, root, sendbuf == MPI_IN_PLACE, comm_at(comm, SITE), SITE);
    return reduction_began(OP_Ireduce, sendbuf, recvbuf, count, datatype, op, root, comm, request, SITE);
}

API int adtape_MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm comm, MPI_Request *request) {
    return reduction_began(OP_Iallreduce, sendbuf, recvbuf, count, datatype, op, -1, comm, request, SITE);
}

API int adtape_MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                         MPI_Request *request) {
    return reduction_began(OP_Iscan, sendbuf, recvbuf, count, datatype, op, -1, comm, request, SITE);
}

/* What is given is cut into the ranks' parts, one behind the other. */
static struct side parts_given(const void *buffer, const int *counts, MPI_Datatype type, const struct comm *comm,
                               const void *site) {
    int *places = allocate((size_t)comm->size * sizeof *places, site);
    int64_t all = 0;
    for (int i = 0; i < comm->size; i++) {
        places[i] = int_count(all, site);
        all += counts[i];
    }
    struct side side;
    side.draft = draft_any(buffer, int_count(all, site), type, true, site);
    side.blocks = blocks_of(comm->size, 0, counts, places, layout_of(type, site), site);
    free(places);
    return side;
}

static int reduce_scatter_began(enum operation operation, const void *sendbuf, void *recvbuf, const int *counts,
                                MPI_Datatype type, MPI_Op op, MPI_Comm handle, MPI_Request *request,
                                const void *site) {
    struct comm *comm = comm_at(handle, site);
    const void *x = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    struct side given = parts_given(x, counts, type, comm, site);
    struct side got = shared_buffer(recvbuf, counts[comm->rank], type, true, comm, 0, comm->size, site);
    const struct reduce call = reduce_call(operation, x, recvbuf, &given.draft, op, -1, comm, site);
    if (is_gathered(&call, &given.draft)) {
        const struct layout *layout = call.layout;
        const int64_t first = given.blocks.places[comm->rank] / layout->extent * layout->values;
        const int count = int_count(elements_of(&call), site);
        return gathering_began(&call, given, got, count, type, first, given.blocks.values[comm->rank], comm, handle,
                               request);
    }
    const int code = operation == OP_Ireduce_scatter
                         ? MPI_Ireduce_scatter(sendbuf, recvbuf, counts, type, op, handle, request)
                         : MPI_Ireduce_scatter_block(sendbuf, recvbuf, counts[0], type, op, handle, request);
    return sum_began(code, &call, given, got, comm, *request);
}

API int adtape_MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype,
                                   MPI_Op op, MPI_Comm comm, MPI_Request *request) {
    return reduce_scatter_began(OP_Ireduce_scatter, sendbuf, recvbuf, recvcounts, datatype, op, comm, request, SITE);
}

API int adtape_MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype,
                                         MPI_Op op, MPI_Comm comm, MPI_Request *request) {
    const void *site = SITE;
    int *counts = even_counts(recvcount, comm_at(comm, site), site);
    const int code = reduce_scatter_began(OP_Ireduce_scatter_block, sendbuf, recvbuf, counts, datatype, op, comm,
                                          request, site);
    free(counts);
    return code;
}

/* Blocks of one side are many, those of the other one; MPI_IN_PLACE: that one is among the many. */
static struct side one_of(const void *buffer, int count, MPI_Datatype type, const struct side *many, int of,
                          const struct comm *comm, const void *site) {
    struct side one = buffer == MPI_IN_PLACE ? side_in(many, comm->rank, 1, site)
                                             : side_new(buffer, 1, count, NULL, NULL, type, site);
    return side_with(one, comm, of, site);
}

/* Igather, Igatherv, and Iscatter, Iscatterv the other way: `many` is at the root. */
static struct side many_at_root(const void *buffer, int count, const int *counts, const int *places, MPI_Datatype type,
                                int root, const struct comm *comm, const void *site) {
    return comm->rank == root ? side_new(buffer, comm->size, count, counts, places, type, site)
                              : no_side(comm->size, site);
}

API int adtape_MPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                           MPI_Datatype recvtype, int root, MPI_Comm comm_, MPI_Request *request) {
    struct comm *comm = comm_at(comm_, SITE);
    expect_root(OP_Igather, root, sendbuf == MPI_IN_PLACE, comm, SITE);
    struct side got = many_at_root(recvbuf, recvcount, NULL, NULL, recvtype, root, comm, SITE);
    struct side given = one_of(sendbuf, sendcount, sendtype, &got, root, comm, SITE);
    const int code = MPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_, request);
    return began(code, OP_Igather, root, given, got, comm, *request, SITE);
}

API int adtape_MPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                            const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm_,
                            MPI_Request *request) {
    struct comm *comm = comm_at(comm_, SITE);
    expect_root(OP_Igatherv, root, sendbuf == MPI_IN_PLACE, comm, SITE);
    struct side got = many_at_root(recvbuf, 0, recvcounts, displs, recvtype, root, comm, SITE);
    struct side given = one_of(sendbuf, sendcount, sendtype, &got, root, comm, SITE);
    const int code =
        MPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm_, request);
    return began(code, OP_Igatherv, root, given, got, comm, *request, SITE);
}

API int adtape_MPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                            MPI_Datatype recvtype, int root, MPI_Comm comm_, MPI_Request *request) {
    struct comm *comm = comm_at(comm_, SITE);
    expect_root(OP_Iscatter, root, recvbuf == MPI_IN_PLACE, comm, SITE);
    struct side given = many_at_root(sendbuf, sendcount, NULL, NULL, sendtype, root, comm, SITE);
    struct side got = one_of(recvbuf, recvcount, recvtype, &given, root, comm, SITE);
    const int code = MPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_, request);
    return began(code, OP_Iscatter, root, given, got, comm, *request, SITE);
}

API int adtape_MPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                             void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm_,
                             MPI_Request *request) {
    struct comm *comm = comm_at(comm_, SITE);
    expect_root(OP_Iscatterv, root, recvbuf == MPI_IN_PLACE, comm, SITE);
    struct side given = many_at_root(sendbuf, 0, sendcounts, displs, sendtype, root, comm, SITE);
    struct side got = one_of(recvbuf, recvcount, recvtype, &given, root, comm, SITE);
    const int code =
        MPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm_, request);
    return began(code, OP_Iscatterv, root, given, got, comm, *request, SITE);
}

/* One block that goes to all ranks. */
static struct side one_for_all(const void *buffer, int count, MPI_Datatype type, const struct side *many,
                               const struct comm *comm, const void *site) {
    struct side side = one_of(buffer, count, type, many, 0, comm, site);
    for (int i = 1; i < comm->size; i++) {
        side.blocks.values[i] = side.blocks.values[0];
        side.blocks.places[i] = side.blocks.places[0];
    }
    return side;
}

API int adtape_MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                              MPI_Datatype recvtype, MPI_Comm comm_, MPI_Request *request) {
    struct comm *comm = comm_at(comm_, SITE);
    struct side got = side_new(recvbuf, comm->size, recvcount, NULL, NULL, recvtype, SITE);
    struct side given = one_for_all(sendbuf, sendcount, sendtype, &got, comm, SITE);
    const int code = MPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, request);
    return began(code, OP_Iallgather, -1, given, got, comm, *request, SITE);
}

API int adtape_MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                               const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm_,
                               MPI_Request *request) {
    struct comm *comm = comm_at(comm_, SITE);
    struct side got = side_new(recvbuf, comm->size, 0, recvcounts, displs, recvtype, SITE);
    struct side given = one_for_all(sendbuf, sendcount, sendtype, &got, comm, SITE);
    const int code = MPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm_, request);
    return began(code, OP_Iallgatherv, -1, given, got, comm, *request, SITE);
}

API int adtape_MPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                             MPI_Datatype recvtype, MPI_Comm comm_, MPI_Request *request) {
    struct comm *comm = comm_at(comm_, SITE);
    struct side got = side_new(recvbuf, comm->size, recvcount, NULL, NULL, recvtype, SITE);
    struct side given = sendbuf == MPI_IN_PLACE
                            ? side_in(&got, 0, comm->size, SITE)
                            : side_new(sendbuf, comm->size, sendcount, NULL, NULL, sendtype, SITE);
    const int code = MPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, request);
    return began(code, OP_Ialltoall, -1, given, got, comm, *request, SITE);
}

API int adtape_MPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                              void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                              MPI_Comm comm_, MPI_Request *request) {
    struct comm *comm = comm_at(comm_, SITE);
    struct side got = side_new(recvbuf, comm->size, 0, recvcounts, rdispls, recvtype, SITE);
    struct side given = sendbuf == MPI_IN_PLACE
                            ? side_in(&got, 0, comm->size, SITE)
                            : side_new(sendbuf, comm->size, 0, sendcounts, sdispls, sendtype, SITE);
    const int code = MPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                    comm_, request);
    return began(code, OP_Ialltoallv, -1, given, got, comm, *request, SITE);
}
