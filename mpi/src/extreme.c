/* extreme.c: MAX, MIN, MAXLOC and MINLOC. Values are reduced together with their rank, so that the reverse sweep knows
 * whose value the result is.
 *
 *   MAX, MIN           MPI_DOUBLE_INT, MPI_FLOAT_INT by MPI's own MAXLOC and MINLOC: value, rank
 *   MAXLOC, MINLOC     by operations of adtape_mpi: value, place, rank; of equal values the lowest place wins, as MPI
 *                      has it, and of equal places the lowest rank */

struct double_int {
    double value;
    int place;
};
struct float_int {
    float value;
    int place;
};
/* A float, an int or a double is a double. */
struct located {
    double value, place;
    int64_t rank;
};

static MPI_Datatype located_type;
static MPI_Op located_max, located_min;

static void locate(const struct located *a, struct located *b, int count, double sign) {
    for (int i = 0; i < count; i++) {
        const bool same = a[i].value == b[i].value;
        const bool is_earlier = a[i].place < b[i].place || (a[i].place == b[i].place && a[i].rank < b[i].rank);
        if (sign * a[i].value > sign * b[i].value || (same && is_earlier)) {
            b[i] = a[i];
        }
    }
}
static void locate_max(void *a, void *b, int *count, MPI_Datatype *type) {
    (void)type;
    locate(a, b, *count, 1);
}
static void locate_min(void *a, void *b, int *count, MPI_Datatype *type) {
    (void)type;
    locate(a, b, *count, -1);
}

static void extremes_begin(void) {
    (void)MPI_Type_contiguous(sizeof(struct located), MPI_BYTE, &located_type);
    (void)MPI_Type_commit(&located_type);
    (void)MPI_Op_create(locate_max, 1, &located_max);
    (void)MPI_Op_create(locate_min, 1, &located_min);
}

static void extremes_end(void) {
    (void)MPI_Op_free(&located_max);
    (void)MPI_Op_free(&located_min);
    (void)MPI_Type_free(&located_type);
}

static bool is_located(const struct reduce *call) { return call->reduction >= MAXLOC; }

static MPI_Datatype extreme_type(const struct reduce *call) {
    return is_located(call) ? located_type : call->layout->kind == F64 ? MPI_DOUBLE_INT : MPI_FLOAT_INT;
}

static MPI_Op extreme_op(const struct reduce *call) {
    return call->reduction == MAX      ? MPI_MAXLOC
           : call->reduction == MIN    ? MPI_MINLOC
           : call->reduction == MAXLOC ? located_max
                                       : located_min;
}

/* ---- values to what is reduced, and back ---- */

static struct located located_at(const struct reduce *call, int64_t i) {
    const void *x = call->x;
    struct located pair = {0, 0, call->comm->rank};
    if (call->layout->pair == WITH_INT) {
        const bool is_double = call->layout->kind == F64;
        pair.value = is_double ? ((const struct double_int *)x)[i].value : ((const struct float_int *)x)[i].value;
        pair.place = is_double ? ((const struct double_int *)x)[i].place : ((const struct float_int *)x)[i].place;
    } else {
        const bool is_double = call->layout->kind == F64;
        pair.value = is_double ? ((const double *)x)[2 * i] : ((const float *)x)[2 * i];
        pair.place = is_double ? ((const double *)x)[2 * i + 1] : ((const float *)x)[2 * i + 1];
    }
    return pair;
}

static void located_put(const struct reduce *call, int64_t i, const struct located *pair) {
    void *y = call->y;
    if (call->layout->pair == WITH_INT && call->layout->kind == F64) {
        ((struct double_int *)y)[i].value = pair->value;
        ((struct double_int *)y)[i].place = (int)pair->place;
    } else if (call->layout->pair == WITH_INT) {
        ((struct float_int *)y)[i].value = (float)pair->value;
        ((struct float_int *)y)[i].place = (int)pair->place;
    } else if (call->layout->kind == F64) {
        ((double *)y)[2 * i] = pair->value;
        ((double *)y)[2 * i + 1] = pair->place;
    } else {
        ((float *)y)[2 * i] = (float)pair->value;
        ((float *)y)[2 * i + 1] = (float)pair->place;
    }
}

/* What this rank gives, each value with the rank. */
static void *extremes_of(const struct reduce *call) {
    const int64_t count = elements_of(call);
    void *all = allocate_zeros((size_t)count * sizeof(struct located), call->site);
    for (int64_t i = 0; i < count; i++) {
        if (is_located(call)) {
            ((struct located *)all)[i] = located_at(call, i);
        } else if (call->layout->kind == F64) {
            ((struct double_int *)all)[i].value = ((const double *)call->x)[i];
            ((struct double_int *)all)[i].place = call->comm->rank;
        } else {
            ((struct float_int *)all)[i].value = ((const float *)call->x)[i];
            ((struct float_int *)all)[i].place = call->comm->rank;
        }
    }
    return all;
}

/* Element `i` goes to the result; returns its rank. */
static int32_t extreme_put(const struct reduce *call, const void *all, int64_t i) {
    if (is_located(call)) {
        const struct located *pair = (const struct located *)all + i;
        located_put(call, i, pair);
        return (int32_t)pair->rank;
    }
    if (call->layout->kind == F64) {
        ((double *)call->y)[i] = ((const struct double_int *)all)[i].value;
        return ((const struct double_int *)all)[i].place;
    }
    ((float *)call->y)[i] = ((const struct float_int *)all)[i].value;
    return ((const struct float_int *)all)[i].place;
}

/* The first elements go to the result, if this rank has one; whose they are goes onto the tape, for each value. */
static void extremes_done(const struct reduce *call, const void *all, int64_t elements) {
    const int64_t each = call->layout->values;
    int32_t *ranks = allocate((size_t)(elements * each) * sizeof *ranks, call->site);
    for (int64_t i = 0; i < elements; i++) {
        const int32_t rank = call->y != NULL ? extreme_put(call, all, i) : 0;
        for (int64_t k = 0; k < each; k++) {
            ranks[i * each + k] = rank;
        }
    }
    push_bytes(ranks, (size_t)(elements * each) * sizeof *ranks, call->site);
    free(ranks);
}
