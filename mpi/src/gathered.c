/* gathered.c: nonblocking reductions by other operations than SUM.
 *
 *   forward   the call gathers x of all ranks     Wait: y = x0 ∘ x1 ∘ …, and all x go onto the tape
 *   reverse   Wait: yb travels                    the call: xb, by what all ranks had
 *
 * The reverse needs what the other ranks had, and may not ask for it by collective calls (nonblocking.c). So it is
 * gathered where the result is made, and each rank makes the result of it. A reduction is the last result of a scan. */

static size_t gathered_bytes(const struct reduce *call) {
    return raw_bytes(call->layout, call->values) * (size_t)call->comm->size;
}

/* Begins the call; `*all` gets what the ranks have. */
static int gathered_begin(const struct reduce *call, int count, MPI_Datatype type, MPI_Comm handle, char **all,
                          MPI_Request *request) {
    *all = allocate_zeros(gathered_bytes(call), call->site);
    const int code = MPI_Iallgather(call->x, count, type, *all, count, type, handle, request);
    if (code != MPI_SUCCESS) {
        free(*all);
    }
    return code;
}

/* The result of the ranks below `end`, in the order of ranks. */
static char *fold(const struct reduce *call, const struct leg *leg, const char *all, int end) {
    const size_t bytes = raw_bytes(call->layout, call->values);
    char *result = memcpy(allocate(bytes, call->site), all, bytes);
    for (int rank = 1; rank < end; rank++) {
        const char *x = all + (size_t)rank * bytes;
        if (call->reduction >= USER) {
            const struct arrays s = arrays_of(leg, call->site);
            char *next = combined(&s, result, x);
            free(result);
            result = next;
        } else {
            const int count = int_count(elements_of(call), call->site);
            expect(MPI_Reduce_local(x, result, count, call->layout->type, call->op), call->site, "MPI_Reduce_local");
        }
    }
    return result;
}

/* The call is complete: this rank's part of the result, if it has one, and the ranks' x onto the tape. */
static void gathered_end(const struct reduce *call, const struct leg *leg, char *all, int64_t first, int64_t values) {
    const struct layout *layout = call->layout;
    if (call->y != NULL) {
        char *result = fold(call, leg, all, call->operation == OP_Iscan ? call->comm->rank + 1 : call->comm->size);
        char *part = result + raw_bytes(layout, first);
        if (layout->named) {
            memcpy(call->y, part, raw_bytes(layout, values));
        } else {
            /* Gaps of the program's buffer are not the library's. */
            char *packed = allocate((size_t)packed_bytes(layout, values), call->site);
            pack(COPY, part, packed, layout, values);
            pack(PUT, call->y, packed, layout, values);
            free(packed);
        }
        free(result);
    }
    push_bytes(all, gathered_bytes(call), call->site);
    free(all);
}

/* What the ranks had; NULL: a sum, or no reduction. */
static char *gathered_pop(const struct leg *leg, const void *site) {
    if (leg->tag == NO_REDUCTION) {
        return NULL;
    }
    const size_t bytes =
        raw_bytes(layouts.at[leg->layout], leg->values) * (size_t)comms.at[leg->comm]->size;
    char *all = allocate(bytes, site);
    pop_bytes(all, bytes, site);
    return all;
}

/* ---- whose value a result is ---- */

static struct located gathered_at(const struct reduce *call, const char *all, int rank, int64_t element) {
    const char *x = all + (size_t)rank * raw_bytes(call->layout, call->values);
    struct located at = {0, 0, rank};
    if (is_located(call)) {
        struct reduce of_rank = *call;
        of_rank.x = x;
        at = located_at(&of_rank, element);
        at.rank = rank;
    } else {
        at.value = call->layout->kind == F64 ? ((const double *)(const void *)x)[element]
                                             : (double)((const float *)(const void *)x)[element];
    }
    return at;
}

/* For each value of the results of the ranks up to each one: whose it is. NULL: the operation does not choose. */
static int32_t *winners_of(const struct reduce *call, const char *all) {
    if (!is_extreme(call)) {
        return NULL;
    }
    const double sign = call->reduction == MAX || call->reduction == MAXLOC ? 1 : -1;
    const int64_t each = call->layout->values;
    int32_t *winners = allocate((size_t)(call->comm->size * call->values) * sizeof *winners, call->site);
    for (int64_t i = 0; i < elements_of(call); i++) {
        struct located best = gathered_at(call, all, 0, i);
        for (int rank = 0; rank < call->comm->size; rank++) {
            const struct located at = gathered_at(call, all, rank, i);
            locate(&at, &best, 1, sign);
            for (int64_t k = 0; k < each; k++) {
                winners[rank * call->values + i * each + k] = (int32_t)best.rank;
            }
        }
    }
    return winners;
}

/* ---- reverse ---- */

/* xb of this rank, packed, of the adjoints of all results of a scan, packed, one behind the other. */
static void gathered_b(void *xb, char *all_yb, const char *all_x, const struct leg *leg, const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    const struct reduce call = {.values = leg->values, .reduction = leg->tag, .layout = layout,
                                .comm = comms.at[leg->comm], .site = site};
    if (leg->tag >= USER) {
        user_scan_b(xb, leg, all_x, all_yb, site);
        return;
    }
    int32_t *winners = winners_of(&call, all_x);
    for (int64_t i = 0; i < leg->values; i++) {
        const double value = scan_adjoint(all_yb, winners == NULL ? all_x : NULL, winners, leg, i);
        if (layout->kind == F64) {
            ((double *)xb)[i] = value;
        } else {
            ((float *)xb)[i] = (float)value;
        }
    }
    free(winners);
}
