/* scan.c: Reduce_scatter, whose result is cut into a block for each rank; Scan, whose result on a rank is that of the
 * ranks up to it, and Exscan, that of the ranks below it. Operations are in reduction.c, extreme.c and user.c. */

static void record_reduced(const struct reduce *call, struct leg drafts[2]) {
    draft_collective(&drafts[0], call->comm, -1, call->reduction);
    draft_collective(&drafts[1], call->comm, -1, call->reduction);
    record_push(call->operation, drafts, 2, call->site);
}

/* ---- Reduce_scatter ---- */

/* `even`: the counts are those of Reduce_scatter_block, all equal. */
static int reduce_scatter(enum operation operation, const void *sendbuf, void *recvbuf, const int *recvcounts,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm handle, const void *site) {
    const void *x = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    const bool even = operation == OP_Reduce_scatter_block;
    const struct comm *comm = comm_at(handle, site);
    struct blocks counts = blocks_of(comm->size, 0, recvcounts, recvcounts, layout_of(datatype, site), site);
    int64_t total = 0;
    for (int i = 0; i < comm->size; i++) {
        total += recvcounts[i];
    }
    struct leg drafts[2] = {draft_any(x, total, datatype, true, site),
                            draft_any(recvbuf, recvcounts[comm->rank], datatype, true, site)};
    const struct reduce call = reduce_call(operation, x, recvbuf, &drafts[0], op, -1, comm, site);
    const bool active = is_active(&call, &drafts[0]);
    int code;
    if (active) {
        refuse_reduction(&call);
    }
    agree_call(&call);
    if (active && is_extreme(&call)) {
        void *all = extremes_of(&call), *mine = allocate((size_t)elements_of(&call) * sizeof(struct located), site);
        code = MPI_Reduce_scatter(all, mine, recvcounts, extreme_type(&call), extreme_op(&call), comm->twin);
        code = passed_on(code, handle);
        if (code == MPI_SUCCESS) {
            extremes_done(&call, mine, recvcounts[comm->rank]);
        }
        free(mine);
        free(all);
    } else {
        void *kept = active ? given_kept(&call) : NULL;
        code = even ? MPI_Reduce_scatter_block(sendbuf, recvbuf, recvcounts[0], datatype, op, handle)
                    : MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, handle);
        given_push(&call, kept, code);
    }
    if (code == MPI_SUCCESS) {
        push_bytes(counts.values, (size_t)comm->size * sizeof *counts.values, site);
        record_reduced(&call, drafts);
    }
    blocks_free(&counts);
    return code;
}

API int adtape_MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype,
                                  MPI_Op op, MPI_Comm comm) {
    return reduce_scatter(OP_Reduce_scatter, sendbuf, recvbuf, recvcounts, datatype, op, comm, SITE);
}

/* The counts of the block form. */
static int *even_counts(int count, const struct comm *comm, const void *site) {
    int *counts = allocate((size_t)comm->size * sizeof *counts, site);
    for (int i = 0; i < comm->size; i++) {
        counts[i] = count;
    }
    return counts;
}

API int adtape_MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype,
                                        MPI_Op op, MPI_Comm comm) {
    const void *site = SITE;
    int *counts = even_counts(recvcount, comm_at(comm, site), site);
    const int code = reduce_scatter(OP_Reduce_scatter_block, sendbuf, recvbuf, counts, datatype, op, comm, site);
    free(counts);
    return code;
}

/* The blocks of all ranks, of `unit` each, one behind the other. */
static void *all_blocks(const void *mine, const struct leg *legs, const int64_t *values, MPI_Datatype unit, size_t size,
                        const void *site) {
    const struct comm *comm = comms.at[legs[0].comm];
    int *counts = allocate((size_t)comm->size * sizeof *counts, site);
    int *places = allocate((size_t)comm->size * sizeof *places, site);
    void *all = allocate((size_t)legs[0].values * size, site);
    for (int i = 0, place = 0; i < comm->size; i++) {
        counts[i] = int_count(values[i], site);
        places[i] = place;
        place += counts[i];
    }
    expect(MPI_Allgatherv(mine, int_count(legs[1].values, site), unit, all, counts, places, unit, comm->twin), site,
           "MPI_Allgatherv");
    free(places);
    free(counts);
    return all;
}

static void reduce_scatter_reverse(enum operation operation, void *const *given, const void *site) {
    struct head head;
    struct leg legs[2];
    pop_record(operation, &head, legs, 2, site);
    struct leg *leg = &legs[0];
    const struct comm *comm = comms.at[leg->comm];
    const struct layout *layout = layouts.at[leg->layout];
    void *result_b = leg_adjoint(&legs[1], given != NULL ? given + 1 : NULL, &head, site);
    void *given_b = leg_adjoint(leg, given, &head, site);
    int64_t *values = allocate((size_t)comm->size * sizeof *values, site);
    pop_bytes(values, (size_t)comm->size * sizeof *values, site);
    agree(leg, &head, site);
    if (leg->values > 0 && !leg->integers) {
        const size_t each = (size_t)kind_bytes(layout->kind);
        void *x = given_pop(leg, site), *ranks = NULL;
        int32_t *mine = ranks_pop(leg, legs[1].values, true, site);
        if (mine != NULL) {
            ranks = all_blocks(mine, legs, values, MPI_INT32_T, sizeof(int32_t), site);
            free(mine);
        }
        void *mine_b = take_adjoint(result_b, &legs[1], site);
        void *yb = all_blocks(mine_b, legs, values, unit_of(layout), each, site);
        scale_adjoint(yb, leg, x, ranks, site);
        add_adjoint(given_b, yb, leg);
        free(yb);
        room_free(mine_b);
        free(ranks);
        free(x);
    }
    free(values);
}

/* ---- Scan ---- */

/* MPI_Exscan leaves rank 0's result as it was. */
static bool has_no_result(enum operation operation, const struct comm *comm) {
    return operation == OP_Exscan && comm->rank == 0;
}

static int scan(enum operation operation, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                MPI_Op op, MPI_Comm handle, const void *site) {
    const void *x = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    const struct comm *comm = comm_at(handle, site);
    struct leg drafts[2] = {draft_any(x, count, datatype, true, site), {0}};
    const bool result = !has_no_result(operation, comm), exclusive = operation == OP_Exscan;
    if (result) {
        drafts[1] = draft_any(recvbuf, count, datatype, true, site);
    }
    const struct reduce call = reduce_call(operation, x, result ? recvbuf : NULL, &drafts[0], op, -1, comm, site);
    const bool active = is_active(&call, &drafts[0]);
    int code;
    if (active) {
        refuse_reduction(&call);
    }
    agree_call(&call);
    if (active && is_extreme(&call)) {
        void *all = extremes_of(&call);
        code = exclusive
                   ? MPI_Exscan(MPI_IN_PLACE, all, count, extreme_type(&call), extreme_op(&call), comm->twin)
                   : MPI_Scan(MPI_IN_PLACE, all, count, extreme_type(&call), extreme_op(&call), comm->twin);
        code = passed_on(code, handle);
        if (code == MPI_SUCCESS) {
            extremes_done(&call, all, count);
        }
        free(all);
    } else {
        void *kept = active ? given_kept(&call) : NULL;
        code = exclusive ? MPI_Exscan(sendbuf, recvbuf, count, datatype, op, handle)
                         : MPI_Scan(sendbuf, recvbuf, count, datatype, op, handle);
        given_push(&call, kept, code);
    }
    if (code == MPI_SUCCESS) {
        drafts[1].layout = drafts[0].layout;
        record_reduced(&call, drafts);
    }
    return code;
}

API int adtape_MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm) {
    return scan(OP_Scan, sendbuf, recvbuf, count, datatype, op, comm, SITE);
}

API int adtape_MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm) {
    return scan(OP_Exscan, sendbuf, recvbuf, count, datatype, op, comm, SITE);
}

/* A value of all ranks' arrays, one behind the other. */
static double value_of(const void *all, const struct leg *leg, int rank, int64_t i) {
    const size_t place = (size_t)(rank * leg->values + i);
    return layouts.at[leg->layout]->kind == F64 ? ((const double *)all)[place] : (double)((const float *)all)[place];
}

/* The arrays of all ranks. */
static void *all_arrays(const void *mine, const struct leg *leg, size_t bytes, const void *site) {
    const struct comm *comm = comms.at[leg->comm];
    void *all = allocate(bytes * (size_t)comm->size, site);
    const int count = int_count((int64_t)bytes, site);
    expect(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm->twin), site, "MPI_Allgather");
    return all;
}

/* scan_adjoint of a product of complex numbers, whose other ranks' factors are conjugates. */
static double complex_scan_adjoint(const void *yb, const void *x, const struct leg *leg, int64_t i) {
    const struct comm *comm = comms.at[leg->comm];
    const int64_t real = i - i % 2, imaginary = real + 1;
    double sum[2] = {0, 0}, product[2] = {1, 0};
    for (int rank = 0; rank < comm->size; rank++) {
        if (rank != comm->rank) {
            const double factor[2] = {value_of(x, leg, rank, real), value_of(x, leg, rank, imaginary)};
            const double old = product[0];
            product[0] = old * factor[0] - product[1] * factor[1];
            product[1] = old * factor[1] + product[1] * factor[0];
        }
        if (rank >= comm->rank) {
            const double adjoint[2] = {value_of(yb, leg, rank, real), value_of(yb, leg, rank, imaginary)};
            sum[0] += product[0] * adjoint[0] + product[1] * adjoint[1];
            sum[1] += product[0] * adjoint[1] - product[1] * adjoint[0];
        }
    }
    return sum[i % 2];
}

/* What one value of this rank changes in the results of the ranks from it on. `x`, `ranks`: of all ranks, or NULL. */
static double scan_adjoint(const void *yb, const void *x, const int32_t *ranks, const struct leg *leg, int64_t i) {
    const struct comm *comm = comms.at[leg->comm];
    double sum = 0, product = 1;
    if (x != NULL && layouts.at[leg->layout]->complex_) {
        return complex_scan_adjoint(yb, x, leg, i);
    }
    for (int rank = 0; rank < comm->size; rank++) {
        if (x != NULL && rank != comm->rank) {
            product *= value_of(x, leg, rank, i);
        }
        if (rank >= comm->rank && (ranks == NULL || ranks[rank * leg->values + i] == comm->rank)) {
            sum += product * value_of(yb, leg, rank, i);
        }
    }
    return sum;
}

/* What rank 1 has becomes that of rank 0, and so on; the last rank has zeros. */
static void shift_ranks(void *all, size_t bytes, int ranks) {
    if (all != NULL) {
        memmove(all, (char *)all + bytes, bytes * (size_t)(ranks - 1));
        memset((char *)all + bytes * (size_t)(ranks - 1), 0, bytes);
    }
}

/* All operations but SUM: each rank gets what all others have. The result of Exscan on a rank is that of Scan on the
 * rank below. */
static void scan_by_all(enum operation operation, void *yb, const struct leg *leg, const void *x, const int32_t *ranks,
                        const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    const size_t packed = (size_t)packed_bytes(layout, leg->values), winners = (size_t)leg->values * sizeof *ranks;
    void *all_yb = all_arrays(yb, leg, packed, site);
    void *all_x = x != NULL ? all_arrays(x, leg, raw_bytes(layout, leg->values), site) : NULL;
    int32_t *all_ranks = ranks != NULL ? all_arrays(ranks, leg, winners, site) : NULL;
    if (operation == OP_Exscan) {
        shift_ranks(all_yb, packed, comms.at[leg->comm]->size);
        shift_ranks(all_ranks, winners, comms.at[leg->comm]->size);
    }
    if (leg->tag >= USER) {
        user_scan_b(yb, leg, all_x, all_yb, site);
    }
    for (int64_t i = 0; i < leg->values && leg->tag < USER; i++) {
        const double xb = scan_adjoint(all_yb, all_x, all_ranks, leg, i);
        if (layout->kind == F64) {
            ((double *)yb)[i] = xb;
        } else {
            ((float *)yb)[i] = (float)xb;
        }
    }
    free(all_ranks);
    free(all_x);
    free(all_yb);
}

/* Each rank gets the sum of those from it on, or above it. */
static void scan_sum(enum operation operation, void *yb, const struct leg *leg, const void *site) {
    struct comm *comm = comms.at[leg->comm];
    const MPI_Datatype unit = unit_of(layouts.at[leg->layout]);
    const int count = int_count(leg->values, site);
    if (operation == OP_Scan) {
        expect(MPI_Scan(MPI_IN_PLACE, yb, count, unit, MPI_SUM, mirrored(comm, site)), site, "MPI_Scan");
        return;
    }
    expect(MPI_Exscan(MPI_IN_PLACE, yb, count, unit, MPI_SUM, mirrored(comm, site)), site, "MPI_Exscan");
    if (comm->rank == comm->size - 1) {
        memset(yb, 0, (size_t)packed_bytes(layouts.at[leg->layout], leg->values));
    }
}

static void scan_reverse(enum operation operation, void *const *given, const void *site) {
    struct head head;
    struct leg legs[2];
    pop_record(operation, &head, legs, 2, site);
    struct leg *leg = &legs[0];
    void *result_b = leg_adjoint(&legs[1], given != NULL ? given + 1 : NULL, &head, site);
    void *given_b = leg_adjoint(leg, given, &head, site);
    agree(leg, &head, site);
    if (leg->values == 0 || leg->integers) {
        return;
    }
    void *x = given_pop(leg, site);
    int32_t *ranks = ranks_pop(leg, leg->values, true, site);
    void *yb = take_adjoint(has_no_result(operation, comms.at[leg->comm]) ? NULL : result_b, leg, site);
    if (leg->tag == SUM) {
        scan_sum(operation, yb, leg, site);
    } else {
        scan_by_all(operation, yb, leg, x, ranks, site);
    }
    add_adjoint(given_b, yb, leg);
    room_free(yb);
    free(ranks);
    free(x);
}

#define DEFINE_SCAN_(name, reverse)                                                                              \
    API void adtape_MPI_##name##_b(void) { reverse(OP_##name, NULL, SITE); }                                     \
    API void adtape_MPI_##name##_b_at(void *sendbuf_b, void *recvbuf_b) {                                        \
        void *const given[2] = {sendbuf_b == MPI_IN_PLACE ? recvbuf_b : sendbuf_b, recvbuf_b};                   \
        reverse(OP_##name, given, SITE);                                                                         \
    }
DEFINE_SCAN_(Reduce_scatter, reduce_scatter_reverse)
DEFINE_SCAN_(Reduce_scatter_block, reduce_scatter_reverse)
DEFINE_SCAN_(Scan, scan_reverse)
DEFINE_SCAN_(Exscan, scan_reverse)
