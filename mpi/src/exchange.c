/* exchange.c: Gather, Scatter, Allgather, Alltoall, and those with counts for each rank (…v).
 *
 * A call has two sides on each rank, what the rank gives and what it gets, of one block or of one for each rank; of
 * Gather and Scatter one side is at the root only. The reverse takes the adjoints of what was got, packed, sends them
 * where the values came from, and adds them up there. With MPI_IN_PLACE a side is in the other one's buffer.
 *
 *              given     got       reverse
 *   Gather     1         root: n   Scatter
 *   Scatter    root: n   1         Gather
 *   Allgather  1         n         Alltoall; the n that come are added up
 *   Alltoall   n         n         Alltoall */

struct side {
    struct leg draft;
    struct blocks blocks;
};

static struct side side_new(const void *buffer, int ranks, int count, const int *counts, const int *displacements,
                            MPI_Datatype type, const void *site) {
    struct side side;
    side.blocks = blocks_of(ranks, count, counts, displacements, layout_of(type, site), site);
    side.draft = draft_blocks(buffer, type, &side.blocks, site);
    return side;
}

/* A side that this rank does not have. */
static struct side side_none(void) { return (struct side){.blocks = {0, NULL, NULL, 0}}; }

/* A side in the other's buffer: `ranks` blocks from that of a rank on. */
static struct side side_in(const struct side *other, int rank, int ranks, const void *site) {
    struct side side = {.blocks = blocks_new(ranks, site)};
    side.draft.layout = other->draft.layout;
    side.draft.integers = other->draft.integers;
    side.draft.flags = LEG_IN_PLACE;
    for (int i = 0; i < ranks; i++) {
        side.blocks.values[i] = other->blocks.values[rank + i];
        side.blocks.places[i] = other->blocks.places[rank + i];
    }
    return side;
}

/* The record: blocks of both sides, and their legs. */
static int exchanged_among(int code, enum operation operation, struct side *given, struct side *got,
                           const struct comm *comm, int root, int neighbors, const void *site) {
    struct leg drafts[2] = {given->draft, got->draft};
    if (code == MPI_SUCCESS) {
        draft_collective(&drafts[0], comm, root, neighbors);
        draft_collective(&drafts[1], comm, root, neighbors);
        push_blocks(&given->blocks, site);
        push_blocks(&got->blocks, site);
        record_push(operation, drafts, 2, site);
    }
    blocks_free(&given->blocks);
    blocks_free(&got->blocks);
    return code;
}

static int exchanged_blocks(int code, enum operation operation, struct side *given, struct side *got,
                            const struct comm *comm, int root, const void *site) {
    return exchanged_among(code, operation, given, got, comm, root, 0, site);
}

/* ---- Gather ---- */

static struct side gathered(void *recvbuf, int recvcount, const int *counts, const int *displacements,
                            MPI_Datatype recvtype, const struct comm *comm, const void *site) {
    return side_new(recvbuf, comm->size, recvcount, counts, displacements, recvtype, site);
}

static struct side given_block(const void *sendbuf, int sendcount, MPI_Datatype sendtype, const struct side *got,
                               const struct comm *comm, const void *site) {
    return sendbuf == MPI_IN_PLACE ? side_in(got, comm->rank, 1, site)
                                   : side_new(sendbuf, 1, sendcount, NULL, NULL, sendtype, site);
}

API int adtape_MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                          MPI_Datatype recvtype, int root, MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    expect_root(OP_Gather, root, sendbuf == MPI_IN_PLACE, comm, SITE);
    struct side got = comm->rank == root ? gathered(recvbuf, recvcount, NULL, NULL, recvtype, comm, SITE) : side_none();
    struct side given = given_block(sendbuf, sendcount, sendtype, &got, comm, SITE);
    return exchanged_blocks(MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_),
                            OP_Gather, &given, &got, comm, root, SITE);
}

API int adtape_MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                           const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                           MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    expect_root(OP_Gatherv, root, sendbuf == MPI_IN_PLACE, comm, SITE);
    struct side got = comm->rank == root ? gathered(recvbuf, 0, recvcounts, displs, recvtype, comm, SITE) : side_none();
    struct side given = given_block(sendbuf, sendcount, sendtype, &got, comm, SITE);
    return exchanged_blocks(
        MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm_), OP_Gatherv,
        &given, &got, comm, root, SITE);
}

API int adtape_MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                             MPI_Datatype recvtype, MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    struct side got = gathered(recvbuf, recvcount, NULL, NULL, recvtype, comm, SITE);
    struct side given = given_block(sendbuf, sendcount, sendtype, &got, comm, SITE);
    return exchanged_blocks(MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_),
                            OP_Allgather, &given, &got, comm, -1, SITE);
}

API int adtape_MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                              const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    struct side got = gathered(recvbuf, 0, recvcounts, displs, recvtype, comm, SITE);
    struct side given = given_block(sendbuf, sendcount, sendtype, &got, comm, SITE);
    return exchanged_blocks(
        MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm_), OP_Allgatherv,
        &given, &got, comm, -1, SITE);
}

/* ---- Scatter ---- */

static struct side got_block(void *recvbuf, int recvcount, MPI_Datatype recvtype, const struct side *given,
                             const struct comm *comm, const void *site) {
    return recvbuf == MPI_IN_PLACE ? side_in(given, comm->rank, 1, site)
                                   : side_new(recvbuf, 1, recvcount, NULL, NULL, recvtype, site);
}

API int adtape_MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                           MPI_Datatype recvtype, int root, MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    expect_root(OP_Scatter, root, recvbuf == MPI_IN_PLACE, comm, SITE);
    struct side given =
        comm->rank == root ? side_new(sendbuf, comm->size, sendcount, NULL, NULL, sendtype, SITE) : side_none();
    struct side got = got_block(recvbuf, recvcount, recvtype, &given, comm, SITE);
    return exchanged_blocks(MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_),
                            OP_Scatter, &given, &got, comm, root, SITE);
}

API int adtape_MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                            void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    expect_root(OP_Scatterv, root, recvbuf == MPI_IN_PLACE, comm, SITE);
    struct side given =
        comm->rank == root ? side_new(sendbuf, comm->size, 0, sendcounts, displs, sendtype, SITE) : side_none();
    struct side got = got_block(recvbuf, recvcount, recvtype, &given, comm, SITE);
    return exchanged_blocks(
        MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm_), OP_Scatterv,
        &given, &got, comm, root, SITE);
}

/* ---- Alltoall ---- */

API int adtape_MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                            MPI_Datatype recvtype, MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    struct side got = gathered(recvbuf, recvcount, NULL, NULL, recvtype, comm, SITE);
    struct side given = sendbuf == MPI_IN_PLACE
                            ? side_in(&got, 0, comm->size, SITE)
                            : side_new(sendbuf, comm->size, sendcount, NULL, NULL, sendtype, SITE);
    return exchanged_blocks(MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_),
                            OP_Alltoall, &given, &got, comm, -1, SITE);
}

API int adtape_MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                             void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                             MPI_Comm comm_) {
    const struct comm *comm = comm_at(comm_, SITE);
    struct side got = gathered(recvbuf, 0, recvcounts, rdispls, recvtype, comm, SITE);
    struct side given = sendbuf == MPI_IN_PLACE
                            ? side_in(&got, 0, comm->size, SITE)
                            : side_new(sendbuf, comm->size, 0, sendcounts, sdispls, sendtype, SITE);
    return exchanged_blocks(MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                          recvtype, comm_),
                            OP_Alltoallv, &given, &got, comm, -1, SITE);
}

/* ---- reverse ---- */

enum shape { GATHER, SCATTER, ALLGATHER, ALLTOALL, NEIGHBOR_ALLGATHER, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLV };

static bool is_one_given(enum shape shape) {
    return shape == GATHER || shape == ALLGATHER || shape == NEIGHBOR_ALLGATHER;
}

/* Sends packed adjoints of what was got to where it came from. */
static void travel(enum shape shape, const struct packed *got, const struct packed *given, const struct leg *leg,
                   const void *site) {
    const MPI_Comm twin = comms.at[leg->comm]->twin;
    const MPI_Datatype from = got->unit, to = given->unit;
    if (shape == GATHER) {
        expect(MPI_Scatterv(got->data, got->counts, got->places, from, given->data, given->all, to, leg->peer, twin),
               site, "MPI_Scatterv");
    } else if (shape == SCATTER) {
        expect(MPI_Gatherv(got->data, got->all, from, given->data, given->counts, given->places, to, leg->peer, twin),
               site, "MPI_Gatherv");
    } else if (shape == NEIGHBOR_ALLTOALL) {
        const int each = got->counts[0];
        expect(MPI_Neighbor_alltoall(got->data, each, from, given->data, each, to, twin), site,
               "MPI_Neighbor_alltoall");
    } else if (shape >= NEIGHBOR_ALLGATHER) {
        expect(MPI_Neighbor_alltoallv(got->data, got->counts, got->places, from, given->data, given->counts,
                                      given->places, to, twin),
               site, "MPI_Neighbor_alltoallv");
    } else {
        expect(MPI_Alltoallv(got->data, got->counts, got->places, from, given->data, given->counts, given->places, to,
                             twin),
               site, "MPI_Alltoallv");
    }
}

/* Of Allgather each rank gets the adjoint of its one block from every rank, or neighbour. */
static struct blocks repeated(const struct blocks *one, int ranks, const void *site) {
    struct blocks blocks = blocks_new(ranks, site);
    for (int i = 0; i < ranks; i++) {
        blocks.values[i] = one->values[0];
        blocks.places[i] = one->places[0];
    }
    return blocks;
}

static void exchange_blocks(enum shape shape, const struct leg *legs, struct blocks *given, struct blocks *got,
                            void *given_b, void *got_b, const void *site) {
    const struct layout *given_layout = layouts.at[legs[0].layout], *got_layout = layouts.at[legs[1].layout];
    if (shape == ALLGATHER || shape == NEIGHBOR_ALLGATHER) {
        struct blocks all = repeated(given, got->ranks, site);
        blocks_free(given);
        *given = all;
    }
    struct packed got_packed = packed_new(got, got_layout, site), given_packed = packed_new(given, given_layout, site);
    if (shape == NEIGHBOR_ALLTOALL) {
        pack_evenly(&got_packed, got->ranks, site);
        pack_evenly(&given_packed, got->ranks, site);
    }
    pack_blocks(TAKE, got_b, &got_packed, got, got_layout);
    travel(shape, &got_packed, &given_packed, &legs[0], site);
    pack_blocks(ADD, given_b, &given_packed, given, given_layout);
    packed_free(&got_packed);
    packed_free(&given_packed);
}

/* Places of blocks begin at the first of them; an address that the program gives is that of the buffer. */
static void *shifted(void *adjoint, const struct leg *leg, void *const *adjoints) {
    return adjoints != NULL && adjoint != NULL ? (char *)adjoint + (int64_t)leg->number : adjoint;
}

/* A side that is in the other's buffer has its adjoint. */
static void share_adjoint(struct leg legs[2], void **given_b, void **got_b) {
    if (legs[0].flags & LEG_IN_PLACE) {
        *given_b = *got_b;
        legs[0].layout = legs[1].layout;
    }
    if (legs[1].flags & LEG_IN_PLACE) {
        *got_b = *given_b;
        legs[1].layout = legs[0].layout;
    }
}

static void blocks_reverse(enum operation operation, enum shape shape, void *const *adjoints, const void *site) {
    struct head head;
    struct leg legs[2];
    pop_record(operation, &head, legs, 2, site);
    const struct comm *comm = comms.at[legs[0].comm];
    const bool many_here = comm->rank == legs[0].peer || legs[0].peer < 0;
    const int many = shape >= NEIGHBOR_ALLGATHER ? legs[0].tag : many_here ? comm->size : 0;
    void *got_b = leg_adjoint(&legs[1], adjoints != NULL ? adjoints + 1 : NULL, &head, site);
    void *given_b = leg_adjoint(&legs[0], adjoints, &head, site);
    struct blocks got = pop_blocks(shape == SCATTER ? 1 : many, site);
    struct blocks given = pop_blocks(is_one_given(shape) ? 1 : many, site);
    got_b = shifted(got_b, &legs[1], adjoints);
    given_b = shifted(given_b, &legs[0], adjoints);
    share_adjoint(legs, &given_b, &got_b);
    struct leg agreed = legs[0];
    agreed.values = agreed.layout = agreed.tag = 0; /* may differ among ranks */
    agree(&agreed, &head, site);
    /* Of integers no values travel, but all ranks take part: one that gives and gets nothing may name another type. */
    exchange_blocks(shape, legs, &given, &got, given_b, got_b, site);
    blocks_free(&given);
    blocks_free(&got);
}

#define DEFINE_BLOCKS_(name, shape)                                                                 \
    API void adtape_MPI_##name##_b(void) { blocks_reverse(OP_##name, shape, NULL, SITE); }          \
    API void adtape_MPI_##name##_b_at(void *sendbuf_b, void *recvbuf_b) {                           \
        void *const adjoints[2] = {sendbuf_b, recvbuf_b};                                           \
        blocks_reverse(OP_##name, shape, adjoints, SITE);                                           \
    }
DEFINE_BLOCKS_(Gather, GATHER)
DEFINE_BLOCKS_(Gatherv, GATHER)
DEFINE_BLOCKS_(Scatter, SCATTER)
DEFINE_BLOCKS_(Scatterv, SCATTER)
DEFINE_BLOCKS_(Allgather, ALLGATHER)
DEFINE_BLOCKS_(Allgatherv, ALLGATHER)
DEFINE_BLOCKS_(Alltoall, ALLTOALL)
DEFINE_BLOCKS_(Alltoallv, ALLTOALL)
