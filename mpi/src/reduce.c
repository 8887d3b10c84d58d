/* reduce.c: Reduce and Allreduce of y = op(x of all ranks), by MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN.
 *
 *   yb     the root's adjoint of y, or the sum of all ranks' for Allreduce; then that adjoint is zero
 *   SUM    xb += yb
 *   MAX    xb += yb on the rank that had the value, the lowest of several
 *   PROD   xb += yb * (product of the other ranks' x), which no division makes: factors may be zero
 *
 * MPI_IN_PLACE: x and y are one buffer, whose adjoint is first yb and then xb. */

enum reduction { NO_REDUCTION, SUM, PROD, MAX, MIN };

static const char *const reduction_names[] = {"", "MPI_SUM", "MPI_PROD", "MPI_MAX", "MPI_MIN"};

static enum reduction reduction_of(MPI_Op op) {
    return op == MPI_SUM ? SUM : op == MPI_PROD ? PROD : op == MPI_MAX ? MAX : op == MPI_MIN ? MIN : NO_REDUCTION;
}

/* A call of the forward sweep. */
struct reduce {
    enum operation operation;
    const void *x;      /* what this rank gives */
    void *y;            /* where the result goes; on ranks without it NULL */
    int64_t values;
    int root;           /* of Allreduce -1 */
    enum reduction reduction;
    const struct layout *layout;
    const struct comm *comm;
    const void *site;
};

/* ---- forward ---- */

/* A value and its rank, as MPI_DOUBLE_INT and MPI_FLOAT_INT have them. */
struct double_int {
    double value;
    int rank;
};
struct float_int {
    float value;
    int rank;
};

static MPI_Datatype pair_type(const struct reduce *call) {
    return call->layout->kind == F64 ? MPI_DOUBLE_INT : MPI_FLOAT_INT;
}

static MPI_Op pair_op(const struct reduce *call) { return call->reduction == MAX ? MPI_MAXLOC : MPI_MINLOC; }

/* What this rank gives, each value with the rank. */
static void *pairs_of(const struct reduce *call) {
    const size_t count = (size_t)call->values;
    if (call->layout->kind == F64) {
        struct double_int *pairs = allocate_zeros(count * sizeof *pairs, call->site);
        for (size_t i = 0; i < count; i++) {
            pairs[i].value = ((const double *)call->x)[i];
            pairs[i].rank = call->comm->rank;
        }
        return pairs;
    }
    struct float_int *pairs = allocate_zeros(count * sizeof *pairs, call->site);
    for (size_t i = 0; i < count; i++) {
        pairs[i].value = ((const float *)call->x)[i];
        pairs[i].rank = call->comm->rank;
    }
    return pairs;
}

/* The first `count` values go to the result, their ranks onto the tape. */
static void pairs_done(const struct reduce *call, const void *pairs, int64_t count) {
    int32_t *ranks = allocate((size_t)count * sizeof *ranks, call->site);
    for (int64_t i = 0; i < count; i++) {
        if (call->layout->kind == F64) {
            ((double *)call->y)[i] = ((const struct double_int *)pairs)[i].value;
            ranks[i] = ((const struct double_int *)pairs)[i].rank;
        } else {
            ((float *)call->y)[i] = ((const struct float_int *)pairs)[i].value;
            ranks[i] = ((const struct float_int *)pairs)[i].rank;
        }
    }
    push_bytes(ranks, (size_t)count * sizeof *ranks, call->site);
    free(ranks);
}

/* MAX, MIN: the winners are on the tape of the ranks that have the result. */
static int reduce_extreme(const struct reduce *call) {
    const MPI_Datatype type = pair_type(call);
    const MPI_Op op = pair_op(call);
    void *pairs = pairs_of(call);
    const bool root = call->comm->rank == call->root;
    const int count = (int)call->values;
    const int code = call->root < 0
                         ? MPI_Allreduce(MPI_IN_PLACE, pairs, count, type, op, call->comm->twin)
                         : MPI_Reduce(root ? MPI_IN_PLACE : pairs, root ? pairs : NULL, count, type, op, call->root,
                                      call->comm->twin);
    if (code == MPI_SUCCESS && call->y != NULL) {
        pairs_done(call, pairs, call->values);
    }
    free(pairs);
    return code;
}

static int reduce_plain(const struct reduce *call, const void *sendbuf, void *recvbuf, MPI_Datatype type, MPI_Op op,
                        MPI_Comm handle) {
    const int64_t bytes = packed_bytes(call->layout, call->values);
    const bool keeps = call->reduction == PROD;
    void *kept = keeps ? allocate((size_t)bytes, call->site) : NULL;
    if (keeps) {
        memcpy(kept, call->x, (size_t)bytes);
    }
    const int count = (int)(call->values / call->layout->values);
    const int code = call->root < 0 ? MPI_Allreduce(sendbuf, recvbuf, count, type, op, handle)
                                    : MPI_Reduce(sendbuf, recvbuf, count, type, op, call->root, handle);
    if (keeps && code == MPI_SUCCESS) {
        push_bytes(kept, (size_t)bytes, call->site);
    }
    free(kept);
    return code;
}

static void refuse_reduction(const struct reduce *call) {
    const struct layout *layout = call->layout;
    if (call->reduction == NO_REDUCTION || !layout->named || (layout->complex_ && call->reduction != SUM)) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, call->site,
             "%s of %" PRId64 " values with an operation or a datatype that adtape_mpi cannot reverse\n"
             "  it takes MPI_SUM, MPI_PROD, MPI_MAX and MPI_MIN of MPI_DOUBLE and MPI_FLOAT, and MPI_SUM of complex "
             "numbers",
             operation_names[call->operation], call->values);
    }
}

static int reduce(enum operation operation, const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  int root, MPI_Comm handle, const void *site) {
    struct comm *comm = comm_at(handle, site);
    const bool has_result = root < 0 || root == comm->rank, in_place = sendbuf == MPI_IN_PLACE;
    struct draft drafts[2] = {draft_buffer(in_place ? recvbuf : sendbuf, count, type, site), {.pointer = NULL}};
    if (has_result) {
        drafts[1] = draft_buffer(recvbuf, count, type, site);
    }
    struct leg *leg = &drafts[0].leg;
    const struct reduce call = {operation,   in_place ? recvbuf : sendbuf, has_result ? recvbuf : NULL,
                                leg->values, root,                         reduction_of(op),
                                layouts.at[leg->layout], comm,             site};
    const bool active = leg->values > 0 && !leg->integers;
    int code;
    if (active) {
        refuse_reduction(&call);
    }
    if (active && (call.reduction == MAX || call.reduction == MIN)) {
        code = reduce_extreme(&call);
    } else if (active) {
        code = reduce_plain(&call, sendbuf, recvbuf, type, op, handle);
    } else {
        code = root < 0 ? MPI_Allreduce(sendbuf, recvbuf, count, type, op, handle)
                        : MPI_Reduce(sendbuf, recvbuf, count, type, op, root, handle);
    }
    if (code == MPI_SUCCESS) {
        draft_collective(&drafts[0], comm, root, (int)call.reduction);
        draft_collective(&drafts[1], comm, root, (int)call.reduction);
        drafts[1].leg.layout = leg->layout;
        record_push(operation, drafts, 2, site);
    }
    return code;
}

API int adtape_MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                          MPI_Comm comm) {
    return reduce(OP_Reduce, sendbuf, recvbuf, count, datatype, op, root, comm, SITE);
}

API int adtape_MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm) {
    return reduce(OP_Allreduce, sendbuf, recvbuf, count, datatype, op, -1, comm, SITE);
}

/* ---- reverse ---- */

/* The ranks in reverse order. It is made where all of them need it. */
static MPI_Comm mirrored(struct comm *comm, const void *site) {
    if (comm->mirrored == MPI_COMM_NULL) {
        expect(MPI_Comm_split(comm->twin, 0, comm->size - comm->rank, &comm->mirrored), site, "MPI_Comm_split");
        (void)MPI_Comm_set_errhandler(comm->mirrored, MPI_ERRORS_RETURN);
    }
    return comm->mirrored;
}

/* The product of the other ranks' x: of the lower ones times that of the higher ones. */
static void *others_product(const void *x, const struct leg *leg, const void *site) {
    struct comm *comm = comms.at[leg->comm];
    const struct layout *layout = layouts.at[leg->layout];
    const size_t bytes = (size_t)packed_bytes(layout, leg->values);
    const int count = int_count(leg->values, site);
    void *below = allocate(bytes, site), *above = allocate(bytes, site);
    expect(MPI_Exscan(x, below, count, unit_of(layout), MPI_PROD, comm->twin), site, "MPI_Exscan");
    expect(MPI_Exscan(x, above, count, unit_of(layout), MPI_PROD, mirrored(comm, site)), site, "MPI_Exscan");
    for (int64_t i = 0; i < leg->values; i++) {
        const bool lowest = comm->rank == 0, highest = comm->rank == comm->size - 1;
        if (layout->kind == F64) {
            double *product = below;
            product[i] = (lowest ? 1 : product[i]) * (highest ? 1 : ((double *)above)[i]);
        } else {
            float *product = below;
            product[i] = (lowest ? 1 : product[i]) * (highest ? 1 : ((float *)above)[i]);
        }
    }
    free(above);
    return below;
}

/* yb is multiplied by what the result changes with this rank's x. `x`: this rank's; `ranks`: the winners. */
static void scale_adjoint(void *yb, const struct leg *leg, const void *x, const int32_t *ranks, const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    void *factors = leg->tag == PROD ? others_product(x, leg, site) : NULL;
    for (int64_t i = 0; i < leg->values; i++) {
        const double won = ranks != NULL && ranks[i] != comms.at[leg->comm]->rank ? 0 : 1;
        if (layout->kind == F64) {
            ((double *)yb)[i] = won == 0 ? 0 : ((double *)yb)[i] * (factors != NULL ? ((double *)factors)[i] : 1);
        } else {
            ((float *)yb)[i] = won == 0 ? 0 : ((float *)yb)[i] * (factors != NULL ? ((float *)factors)[i] : 1);
        }
    }
    free(factors);
}

/* yb on all ranks; of Reduce, the winners too, which the root knows. */
static void spread_adjoint(void *yb, int32_t *ranks, const struct leg *leg, const void *site) {
    const struct comm *comm = comms.at[leg->comm];
    const MPI_Datatype unit = unit_of(layouts.at[leg->layout]);
    const int count = int_count(leg->values, site);
    if (leg->peer < 0) {
        expect(MPI_Allreduce(MPI_IN_PLACE, yb, count, unit, MPI_SUM, comm->twin), site, "MPI_Allreduce");
        return;
    }
    expect(MPI_Bcast(yb, count, unit, leg->peer, comm->twin), site, "MPI_Bcast");
    if (ranks != NULL) {
        expect(MPI_Bcast(ranks, count, MPI_INT32_T, leg->peer, comm->twin), site, "MPI_Bcast");
    }
}

static void reduce_reverse(enum operation operation, void *const *given, const void *site) {
    struct head head;
    struct leg legs[2];
    pop_head(operation, &head, site);
    pop_legs(legs, 2, site);
    struct leg *leg = &legs[0];
    const struct comm *comm = comms.at[leg->comm];
    const bool has_result = leg->peer < 0 || leg->peer == comm->rank;
    void *result_b = leg_adjoint(&legs[1], given != NULL ? given + 1 : NULL, &head, site);
    void *given_b = leg_adjoint(leg, given, &head, site);
    agree(leg, &head, site);
    if (leg->values == 0 || leg->integers) {
        return;
    }
    const size_t bytes = (size_t)packed_bytes(layouts.at[leg->layout], leg->values);
    const size_t rank_bytes = (size_t)leg->values * sizeof(int32_t);
    void *x = leg->tag == PROD ? allocate(bytes, site) : NULL;
    int32_t *ranks = leg->tag == MAX || leg->tag == MIN ? allocate(rank_bytes, site) : NULL;
    if (x != NULL) {
        pop_bytes(x, bytes, site);
    } else if (ranks != NULL && has_result) {
        pop_bytes(ranks, rank_bytes, site);
    }
    void *yb = take_adjoint(has_result ? result_b : NULL, leg, site);
    spread_adjoint(yb, ranks, leg, site);
    scale_adjoint(yb, leg, x, ranks, site);
    add_adjoint(given_b, yb, leg);
    free(yb);
    free(ranks);
    free(x);
}

#define DEFINE_REDUCE_(name)                                                                                     \
    API void adtape_MPI_##name##_b(void) { reduce_reverse(OP_##name, NULL, SITE); }                              \
    API void adtape_MPI_##name##_b_at(void *sendbuf_b, void *recvbuf_b) {                                        \
        void *const given[2] = {sendbuf_b == MPI_IN_PLACE ? recvbuf_b : sendbuf_b, recvbuf_b};                   \
        reduce_reverse(OP_##name, given, SITE);                                                                  \
    }
DEFINE_REDUCE_(Reduce)
DEFINE_REDUCE_(Allreduce)
