/* reduce.c: Reduce and Allreduce. Operations are in reduction.c, extreme.c and user.c. */

/* MAX, MIN, MAXLOC, MINLOC: the winners are on the tape of the ranks that have the result. */
static int reduce_extreme(const struct reduce *call) {
    const MPI_Datatype type = extreme_type(call);
    const MPI_Op op = extreme_op(call);
    void *all = extremes_of(call);
    const bool root = call->comm->rank == call->root;
    const int count = (int)elements_of(call);
    const int code = call->root < 0
                         ? MPI_Allreduce(MPI_IN_PLACE, all, count, type, op, call->comm->twin)
                         : MPI_Reduce(root ? MPI_IN_PLACE : all, root ? all : NULL, count, type, op, call->root,
                                      call->comm->twin);
    if (code == MPI_SUCCESS && call->y != NULL) {
        extremes_done(call, all, count);
    }
    free(all);
    return code;
}

static int reduce(enum operation operation, const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  int root, MPI_Comm handle, const void *site) {
    struct comm *comm = comm_at(handle, site);
    const bool has_result = root < 0 || root == comm->rank, in_place = sendbuf == MPI_IN_PLACE;
    const void *x = in_place ? recvbuf : sendbuf;
    struct leg drafts[2] = {draft_any(x, count, type, true, site), {0}};
    if (has_result) {
        drafts[1] = draft_any(recvbuf, count, type, true, site);
    }
    struct leg *leg = &drafts[0];
    const struct reduce call =
        reduce_call(operation, x, has_result ? recvbuf : NULL, &drafts[0], op, root, comm, site);
    const bool active = is_active(&call, leg);
    int code;
    if (active) {
        refuse_reduction(&call);
    }
    agree_call(&call);
    if (active && is_extreme(&call)) {
        code = passed_on(reduce_extreme(&call), handle);
    } else {
        void *kept = active ? given_kept(&call) : NULL;
        code = root < 0 ? MPI_Allreduce(sendbuf, recvbuf, count, type, op, handle)
                        : MPI_Reduce(sendbuf, recvbuf, count, type, op, root, handle);
        given_push(&call, kept, code);
    }
    if (code == MPI_SUCCESS) {
        draft_collective(&drafts[0], comm, root, call.reduction);
        draft_collective(&drafts[1], comm, root, call.reduction);
        drafts[1].layout = leg->layout;
        record_push(operation, drafts, 2, site);
    }
    return code;
}

API int adtape_MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                          MPI_Comm comm) {
    expect_root(OP_Reduce, root, sendbuf == MPI_IN_PLACE, comm_at(comm, SITE), SITE);
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

/* What a product is made of. */
static MPI_Datatype factor_of(const struct layout *layout) {
    const bool f64 = layout->kind == F64;
    return !layout->complex_ ? unit_of(layout) : f64 ? MPI_C_DOUBLE_COMPLEX : MPI_C_FLOAT_COMPLEX;
}

/* x *= y, or by the conjugate of y. Complex numbers are two values. */
#define DEFINE_MULTIPLY_(name, type)                                                                              \
    static void name(type *x, const type *y, bool are_complex, bool conjugate, int64_t values) {                  \
        for (int64_t i = 0; i < values && !are_complex; i++) {                                                    \
            x[i] *= y[i];                                                                                         \
        }                                                                                                         \
        for (int64_t i = 0; i < values && are_complex; i += 2) {                                                  \
            const type imaginary = conjugate ? -y[i + 1] : y[i + 1], real = x[i] * y[i] - x[i + 1] * imaginary;    \
            x[i + 1] = x[i] * imaginary + x[i + 1] * y[i];                                                        \
            x[i] = real;                                                                                          \
        }                                                                                                         \
    }
DEFINE_MULTIPLY_(multiply_doubles, double)
DEFINE_MULTIPLY_(multiply_singles, float)

static void multiply(void *x, const void *y, const struct layout *layout, bool conjugate, int64_t values) {
    if (layout->kind == F64) {
        multiply_doubles(x, y, layout->complex_, conjugate, values);
    } else {
        multiply_singles(x, y, layout->complex_, conjugate, values);
    }
}

static void set_ones(void *x, const struct layout *layout, int64_t values) {
    for (int64_t i = 0; i < values; i++) {
        const int one = layout->complex_ && i % 2 == 1 ? 0 : 1;
        if (layout->kind == F64) {
            ((double *)x)[i] = one;
        } else {
            ((float *)x)[i] = (float)one;
        }
    }
}

/* The product of the other ranks' x: of the lower ones times that of the higher ones. */
static void *others_product(const void *x, const struct leg *leg, const void *site) {
    struct comm *comm = comms.at[leg->comm];
    const struct layout *layout = layouts.at[leg->layout];
    const size_t bytes = (size_t)packed_bytes(layout, leg->values);
    const int count = int_count(leg->values / layout->values, site);
    const MPI_Datatype factor = factor_of(layout);
    void *below = allocate(bytes, site), *above = allocate(bytes, site);
    expect(MPI_Exscan(x, below, count, factor, MPI_PROD, comm->twin), site, "MPI_Exscan");
    expect(MPI_Exscan(x, above, count, factor, MPI_PROD, mirrored(comm, site)), site, "MPI_Exscan");
    if (comm->rank == 0) {
        set_ones(below, layout, leg->values);
    }
    if (comm->rank == comm->size - 1) {
        set_ones(above, layout, leg->values);
    }
    multiply(below, above, layout, false, leg->values);
    free(above);
    return below;
}

/* yb becomes xb: it is multiplied by what the result changes with this rank's x. `x`: this rank's; `ranks`: the winners. */
static void scale_adjoint(void *yb, const struct leg *leg, const void *x, const int32_t *ranks, const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    if (leg->tag >= USER) {
        user_reduce_b(yb, leg, x, site);
        return;
    }
    if (leg->tag == PROD) {
        void *factors = others_product(x, leg, site);
        multiply(yb, factors, layout, true, leg->values);
        free(factors);
    }
    for (int64_t i = 0; ranks != NULL && i < leg->values; i++) {
        if (ranks[i] != comms.at[leg->comm]->rank) {
            memset((char *)yb + i * kind_bytes(layout->kind), 0, (size_t)kind_bytes(layout->kind));
        }
    }
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

/* The sum of values that lie one behind the other, without a copy of them. */
static void allreduce_sum_b(void *result_b, void *given_b, const struct leg *leg, const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    void *yb = room_allocate((size_t)packed_bytes(layout, leg->values), site);
    expect(MPI_Allreduce(result_b, yb, int_count(leg->values, site), unit_of(layout), MPI_SUM,
                         comms.at[leg->comm]->twin),
           site, "MPI_Allreduce");
    clear_dense(result_b, layout, leg->values);
    add_adjoint(given_b, yb, leg);
    room_free(yb);
}

static void reduce_reverse(enum operation operation, void *const *given, const void *site) {
    struct head head;
    struct leg legs[2];
    pop_record(operation, &head, legs, 2, site);
    struct leg *leg = &legs[0];
    const struct comm *comm = comms.at[leg->comm];
    const bool has_result = leg->peer < 0 || leg->peer == comm->rank;
    void *result_b = leg_adjoint(&legs[1], given != NULL ? given + 1 : NULL, &head, site);
    void *given_b = leg_adjoint(leg, given, &head, site);
    agree(leg, &head, site);
    if (leg->values == 0 || leg->integers) {
        return;
    }
    if (leg->tag == SUM && leg->peer < 0 && result_b != NULL && layouts.at[leg->layout]->dense) {
        allreduce_sum_b(result_b, given_b, leg, site);
        return;
    }
    void *x = given_pop(leg, site);
    int32_t *ranks = ranks_pop(leg, leg->values, has_result, site);
    void *yb = take_adjoint(has_result ? result_b : NULL, leg, site);
    spread_adjoint(yb, ranks, leg, site);
    scale_adjoint(yb, leg, x, ranks, site);
    add_adjoint(given_b, yb, leg);
    room_free(yb);
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
