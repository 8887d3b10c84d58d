/* reduction.c: y = op(x of all ranks), and what a call of the forward sweep keeps for the reverse sweep.
 *
 *   yb        the adjoint of y; of Allreduce the sum of all ranks'; then that adjoint is zero
 *   SUM       xb += yb
 *   MAX       xb += yb on the rank that had the value, the lowest of several
 *   MAXLOC    likewise, the lowest place first; a place that is a floating-point number travels with its value
 *   PROD      xb += yb * (product of the other ranks' x), which no division makes: factors may be zero; of complex numbers
 *             the conjugate of that product
 *   USER      xb += what the operation's adjoint makes of yb and of the other ranks' x, in the order of ranks (user.c)
 *
 * MPI_IN_PLACE: x and y are one buffer, whose adjoint is first yb and then xb. */

/* A call of the forward sweep. */
struct reduce {
    enum operation operation;
    const void *x;      /* what this rank gives */
    void *y;            /* where the result goes; on ranks without it NULL */
    int64_t values;
    int root;           /* of Allreduce -1 */
    int reduction;
    MPI_Op op;
    const struct layout *layout;
    const struct comm *comm;
    const void *site;
};

static int user_reduction(MPI_Op op);

static int reduction_of(MPI_Op op) {
    return op == MPI_SUM      ? SUM
           : op == MPI_PROD   ? PROD
           : op == MPI_MAX    ? MAX
           : op == MPI_MIN    ? MIN
           : op == MPI_MAXLOC ? MAXLOC
           : op == MPI_MINLOC ? MINLOC
                              : user_reduction(op);
}

static struct reduce reduce_call(enum operation operation, const void *x, void *y, const struct leg *draft, MPI_Op op,
                                 int root, const struct comm *comm, const void *site) {
    return (struct reduce){operation,        x,    y, draft->values, root, reduction_of(op), op,
                           layouts.at[draft->layout], comm, site};
}

static bool is_active(const struct reduce *call, const struct leg *leg) { return call->values > 0 && !leg->integers; }

/* Whether a rank's values stand with their rank while they are reduced. */
static bool is_extreme(const struct reduce *call) { return call->reduction >= MAX && call->reduction <= MINLOC; }

static int64_t elements_of(const struct reduce *call) { return call->values / call->layout->values; }

/* Whether the operation takes what the layout describes. */
static bool is_reducible(int reduction, const struct layout *layout) {
    switch (reduction) {
    case NO_REDUCTION:
        return false;
    case MAXLOC:
    case MINLOC:
        return layout->pair != NO_PAIR;
    case SUM:
    case PROD:
        return layout->named && layout->pair == NO_PAIR;
    case MAX:
    case MIN:
        return layout->named && layout->pair == NO_PAIR && !layout->complex_;
    default:
        return layout->class == FIELDS && !layout->mixed && layout->lower >= 0 && layout->upper <= layout->extent;
    }
}

static void refuse_reduction(const struct reduce *call) {
    if (!is_reducible(call->reduction, call->layout)) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, call->site,
             "%s of %" PRId64 " values with an operation or a datatype that adtape_mpi cannot reverse\n"
             "  it takes MPI_SUM, MPI_PROD, MPI_MAX and MPI_MIN of MPI_DOUBLE and MPI_FLOAT, the first two of complex numbers, "
             "MPI_MAXLOC and MPI_MINLOC of pairs, and operations that adtape_mpi_op_adjoint knows",
             operation_names[call->operation], call->values);
    }
}

static struct agreed agreed_call(const struct reduce *call) {
    const struct leg leg = {.tag = call->reduction};
    return (struct agreed){.operation = (int32_t)call->operation, .forward = true, .root = call->root,
                           .reduction = agreed_tag(&leg), .kind = (int32_t)call->layout->kind, .values = call->values};
}

/* Check mode: ranks whose operations differ would reduce on different communicators, and wait for ever. */
static void agree_call(const struct reduce *call) {
    if (mpi.check) {
        const struct agreed own = agreed_call(call);
        agree_on(call->comm, &own, call->site);
    }
}

/* ---- what this rank gave, for the reverse of PROD and USER ---- */

static bool keeps_given(int reduction) { return reduction == PROD || reduction >= USER; }

/* Bytes of an array as it lies, gaps included. */
static size_t raw_bytes(const struct layout *layout, int64_t values) {
    return (size_t)(values / layout->values * layout->extent);
}

/* A copy, because the call may be in place; NULL: not wanted. Behind the last value nothing is read. */
static void *given_kept(const struct reduce *call) {
    const struct layout *layout = call->layout;
    if (!keeps_given(call->reduction)) {
        return NULL;
    }
    const size_t bytes = raw_bytes(layout, call->values);
    char *kept = allocate_zeros(bytes, call->site);
    memcpy(kept + layout->lower, (const char *)call->x + layout->lower,
           bytes - (size_t)(layout->lower + layout->extent - layout->upper));
    return kept;
}

static void given_push(const struct reduce *call, void *kept, int code) {
    if (kept != NULL && code == MPI_SUCCESS) {
        push_bytes(kept, raw_bytes(call->layout, call->values), call->site);
    }
    free(kept);
}

/* NULL: the operation keeps nothing. */
static void *given_pop(const struct leg *leg, const void *site) {
    if (!keeps_given(leg->tag)) {
        return NULL;
    }
    const size_t bytes = raw_bytes(layouts.at[leg->layout], leg->values);
    void *kept = allocate(bytes, site);
    pop_bytes(kept, bytes, site);
    return kept;
}

/* The ranks that had the values; NULL: the operation needs none. Read from the tape if they are there. */
static int32_t *ranks_pop(const struct leg *leg, int64_t values, bool are_there, const void *site) {
    if (leg->tag < MAX || leg->tag > MINLOC) {
        return NULL;
    }
    const size_t bytes = (size_t)values * sizeof(int32_t);
    int32_t *ranks = allocate(bytes, site);
    if (are_there) {
        pop_bytes(ranks, bytes, site);
    }
    return ranks;
}
