/* user.c: operations of the program's own, whose adjoint it has registered.
 *
 *   y = x0 ∘ x1 ∘ … ∘ xn           in the order of ranks: ∘ is associative and need not be commutative
 *   y = L ∘ x ∘ R                  L, R: what the ranks below and above this one have together
 *
 * With m = L ∘ x, the reverse of y = m ∘ R gives the adjoint of m, and that of m = L ∘ x the adjoint of x. L and R are
 * made by doubling: after each round a rank has twice as many neighbours' values, so that it takes log2(ranks) of them.
 * The operation's own function makes them, in the reverse sweep: MPI_Op_free and MPI_Type_free may come before it. */

/* A function of Fortran gets the datatype as an integer. */
typedef void fortran_function(const void *, void *, int *, MPI_Fint *);
typedef void fortran_adjoint(const void *, const void *, void *, void *, const void *, const int *, MPI_Fint *);

static struct user {
    MPI_Op handle;
    MPI_User_function *function;
    adtape_mpi_op_adjoint_t *adjoint;
    bool fortran;
} *users;
static int user_count;

static void user_enter(MPI_Op op, MPI_User_function *function, adtape_mpi_op_adjoint_t *adjoint, bool fortran,
                       const void *site) {
    expect_ready(site);
    if (op == MPI_OP_NULL || function == NULL || adjoint == NULL) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "adtape_mpi_op_adjoint without an operation, its function or its adjoint\n"
             "  it takes what MPI_Op_create has made, the function given to that, and the adjoint of this function");
    }
    users = reallocate(users, (size_t)(user_count + 1) * sizeof *users, site);
    users[user_count++] = (struct user){op, function, adjoint, fortran};
}

API void adtape_mpi_op_adjoint(MPI_Op op, MPI_User_function *function, adtape_mpi_op_adjoint_t *adjoint) {
    user_enter(op, function, adjoint, false, SITE);
}

API void adtape_mpi_abi0_op_adjoint(MPI_Op op, MPI_User_function *function, adtape_mpi_op_adjoint_t *adjoint) {
    user_enter(op, function, adjoint, true, SITE);
}

/* The one that was registered last: MPI gives a handle that was freed again. */
static int user_reduction(MPI_Op op) {
    for (int i = user_count - 1; i >= 0; i--) {
        if (users[i].handle == op) {
            return USER + i;
        }
    }
    return NO_REDUCTION;
}

static void users_end(void) {
    free(users);
    users = NULL;
    user_count = 0;
}

/* Arrays of a call that is reversed. */
struct arrays {
    const struct user *user;
    const struct comm *comm;
    MPI_Datatype type;
    int count;
    size_t bytes;
    const void *site;
};

static struct arrays arrays_of(const struct leg *leg, const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    return (struct arrays){&users[leg->tag - USER],
                           comms.at[leg->comm],
                           layout->type,
                           int_count(leg->values / layout->values, site),
                           raw_bytes(layout, leg->values),
                           site};
}

/* a ∘ b */
static char *combined(const struct arrays *s, const char *a, const char *b) {
    char *result = memcpy(allocate(s->bytes, s->site), b, s->bytes);
    int count = s->count;
    MPI_Datatype type = s->type;
    MPI_Fint fortran_type = MPI_Type_c2f(type);
    if (s->user->fortran) {
        ((fortran_function *)s->user->function)(a, result, &count, &fortran_type);
    } else {
        /* The function may not change its first argument; MPI's type for it says nothing of that. */
        s->user->function((void *)(uintptr_t)a, result, &count, &type);
    }
    return result;
}

/* The adjoints of a and b; either may be NULL, if nobody wants it. */
static void combined_b(const struct arrays *s, const char *a, const char *b, char **a_b, char **b_b,
                       const char *result_b) {
    char *first = allocate_zeros(s->bytes, s->site), *second = allocate_zeros(s->bytes, s->site);
    int count = s->count;
    MPI_Datatype type = s->type;
    MPI_Fint fortran_type = MPI_Type_c2f(type);
    if (s->user->fortran) {
        ((fortran_adjoint *)s->user->adjoint)(a, b, first, second, result_b, &count, &fortran_type);
    } else {
        s->user->adjoint(a, b, first, second, result_b, &count, &type);
    }
    if (a_b != NULL) {
        *a_b = first;
    } else {
        free(first);
    }
    if (b_b != NULL) {
        *b_b = second;
    } else {
        free(second);
    }
}

/* Replaces `*sum` by itself with the neighbours' values, which are above it or below. */
static void extend(const struct arrays *s, char **sum, const char *came, bool above) {
    char *old = *sum;
    *sum = old == NULL ? memcpy(allocate(s->bytes, s->site), came, s->bytes)
           : above     ? combined(s, old, came)
                       : combined(s, came, old);
    free(old);
}

/* What the ranks above this one, or below, have together; NULL at the end. */
static char *others(const struct arrays *s, const char *x, bool above) {
    const struct comm *comm = s->comm;
    char *own = memcpy(allocate(s->bytes, s->site), x, s->bytes), *came = allocate(s->bytes, s->site), *rest = NULL;
    MPI_Datatype unit;
    const int count = units((int64_t)s->bytes, &unit, s->site);
    for (int by = 1; by < comm->size; by *= 2) {
        const int next = comm->rank + by, last = comm->rank - by;
        const int lower = last >= 0 ? last : MPI_PROC_NULL, upper = next < comm->size ? next : MPI_PROC_NULL;
        const int from = above ? upper : lower;
        expect(MPI_Sendrecv(own, count, unit, above ? lower : upper, fold_tag(), came, count, unit, from, fold_tag(),
                            comm->twin, MPI_STATUS_IGNORE),
               s->site, "MPI_Sendrecv");
        if (from != MPI_PROC_NULL) {
            extend(s, &own, came, above);
            extend(s, &rest, came, above);
        }
    }
    free(came);
    free(own);
    return rest;
}

/* yb, packed, becomes xb. */
static void user_reduce_b(void *yb, const struct leg *leg, const void *x, const void *site) {
    const struct arrays s = arrays_of(leg, site);
    const struct layout *layout = layouts.at[leg->layout];
    char *below = others(&s, x, false), *above = others(&s, x, true), *xb = allocate_zeros(s.bytes, site);
    char *middle = NULL;
    pack(ADD, xb, yb, layout, leg->values);
    if (above != NULL) {
        char *result_b = xb;
        middle = below != NULL ? combined(&s, below, x) : NULL;
        combined_b(&s, middle != NULL ? middle : x, above, &xb, NULL, result_b);
        free(result_b);
    }
    if (below != NULL) {
        char *middle_b = xb;
        combined_b(&s, below, x, NULL, &xb, middle_b);
        free(middle_b);
    }
    pack(COPY, xb, yb, layout, leg->values);
    free(xb);
    free(middle);
    free(above);
    free(below);
}

/* ---- Scan: the result of a rank is that of the ranks up to it ---- */

/* The results of the ranks from 0 on, one behind the other; the first is x itself. */
static char *results_of(const struct arrays *s, const char *all_x) {
    char *results = allocate(s->bytes * (size_t)s->comm->size, s->site);
    memcpy(results, all_x, s->bytes);
    for (int rank = 1; rank < s->comm->size; rank++) {
        const size_t place = (size_t)rank * s->bytes;
        char *next = combined(s, results + place - s->bytes, all_x + place);
        memcpy(results + place, next, s->bytes);
        free(next);
    }
    return results;
}

/* yb, packed, of this rank becomes xb. `all_x`: as they lie; `all_yb`: packed. */
static void user_scan_b(void *yb, const struct leg *leg, const char *all_x, char *all_yb, const void *site) {
    const struct arrays s = arrays_of(leg, site);
    const struct layout *layout = layouts.at[leg->layout];
    const size_t packed = (size_t)packed_bytes(layout, leg->values);
    char *results = results_of(&s, all_x), *carried = allocate_zeros(s.bytes, site);
    for (int rank = s.comm->size - 1; rank >= s.comm->rank; rank--) {
        const size_t place = (size_t)rank * s.bytes;
        char *before_b = NULL, *xb = NULL;
        pack(ADD, carried, all_yb + (size_t)rank * packed, layout, leg->values);
        if (rank > 0) {
            combined_b(&s, results + place - s.bytes, all_x + place, &before_b, &xb, carried);
        } else {
            xb = memcpy(allocate(s.bytes, site), carried, s.bytes);
        }
        if (rank == s.comm->rank) {
            pack(COPY, xb, yb, layout, leg->values);
        }
        free(xb);
        free(carried);
        carried = before_b;
    }
    free(carried);
    free(results);
}
