/* agree.c: check mode compares what all ranks of a communicator do before a collective call, which else would wait for
 * ever, or add up what does not belong together. */

/* Calls of the library's own that all ranks make together. */
enum together { SEED_CHECK, DERIVATIVE_TEST, RUN_CALL, STATISTICS, FINALIZE };
static const char *const together_names[] = {"adtape_mpi_check_seed", "a derivative test",
                                             "a call of adtape_mpi_run.h on checkpoints or a driver",
                                             "statistics", "adtape_MPI_Finalize"};

struct agreed {
    int32_t operation; /* -1, -2, …: a call of the library's own */
    int32_t forward;   /* it is called, and not reversed */
    int32_t root, reduction, kind, unused;
    int64_t values;
};

static const char *const reduction_names[] = {
    [SUM] = " by MPI_SUM", [PROD] = " by MPI_PROD", [MAX] = " by MPI_MAX", [MIN] = " by MPI_MIN",
    [MAXLOC] = " by MPI_MAXLOC", [MINLOC] = " by MPI_MINLOC", [USER] = " by an operation of the program's own"};

/* What a rank does, for messages. */
static const char *agreed_text(char *text, size_t bytes, const struct agreed *agreed) {
    if (agreed->operation < 0) {
        (void)snprintf(text, bytes, "is at %s", together_names[-1 - agreed->operation]);
    } else {
        const char *by = reduction_names[agreed->reduction], *kind = agreed->kind == F64 ? "double" : "float";
        char values[48] = "";
        if (agreed->values > 0) {
            (void)snprintf(values, sizeof values, ", %" PRId64 " values of %s", agreed->values, kind);
        }
        (void)snprintf(text, bytes, "%s %s%s (root %d%s)", agreed->forward ? "calls" : "reverses",
                       operation_names[agreed->operation], by != NULL ? by : "", agreed->root, values);
    }
    return text;
}

static __attribute__((cold, noreturn)) void refuse_absent(const struct agreed *own, const struct comm *comm,
                                                          const void *site) {
    const bool reverse = own->operation >= 0 && !own->forward;
    const char *name = own->operation >= 0 ? operation_names[own->operation] : together_names[-1 - own->operation];
    fail(ADTAPE_STATUS_MISMATCH, site,
         "%s%s on a communicator of %d: not all of its ranks came to it within %g s (ADTAPE_MPI_TIMEOUT)\n"
         "  another rank stopped, waits itself, or %s",
         reverse ? "reverse of " : "", name, comm->size, mpi.timeout,
         reverse ? "its sweeps do not mirror each other" : "does not call it: all ranks do");
}

static bool agrees(const struct agreed *a, const struct agreed *b) {
    return a->operation == b->operation && a->forward == b->forward && a->root == b->root &&
           a->reduction == b->reduction && a->kind == b->kind && a->values == b->values;
}

/* A comparison that has begun: what this rank does, and room for what all do. */
struct comparison {
    struct comparison *next; /* of those under way */
    uint64_t number;         /* of those of nonblocking calls, from 1 */
    MPI_Request request;
    struct agreed own, *all;
    const struct comm *comm;
    const void *site;
};

static void compare_begin(struct comparison *c, const struct comm *comm, const struct agreed *own, const void *site) {
    c->own = *own;
    c->all = allocate((size_t)comm->size * sizeof *c->all, site);
    c->comm = comm;
    c->site = site;
    expect(MPI_Iallgather(&c->own, sizeof c->own, MPI_BYTE, c->all, sizeof c->own, MPI_BYTE, comm->twin, &c->request),
           site, "MPI_Iallgather");
}

/* Whether all ranks have come. Ends in an error on each that disagrees with another one. */
static bool compare_end(struct comparison *c) {
    char mine[160], other[160];
    if (!is_complete(&c->request, c->site)) {
        return false;
    }
    for (int i = 0; i < c->comm->size; i++) {
        if (!agrees(&c->own, &c->all[i])) {
            fail(ADTAPE_STATUS_MISMATCH, c->site,
                 "this rank, %d of %d, %s, and rank %d %s\n"
                 "  all ranks of a communicator make its collective calls, and reverse them, in one order",
                 c->comm->rank, c->comm->size, agreed_text(mine, sizeof mine, &c->own), i,
                 agreed_text(other, sizeof other, &c->all[i]));
        }
    }
    free(c->all);
    return true;
}

/* What is waited for since `begun` is an error once the limit is over. */
static void expect_in_time(const struct comparison *c, double begun, const void *site) {
    if (MPI_Wtime() - begun > mpi.timeout) {
        refuse_absent(&c->own, c->comm, site);
    }
}

static void agree_on(const struct comm *comm, const struct agreed *own, const void *site) {
    const double begun = MPI_Wtime();
    struct comparison c;
    compare_begin(&c, comm, own, site);
    while (!compare_end(&c)) {
        expect_in_time(&c, begun, site);
    }
}

/* ---- nonblocking calls ---- */

/* A call that begins may not wait for other ranks. So waits and tests end its comparison. */
static struct {
    struct comparison *first;
    uint64_t count; /* begun so far */
} comparisons;

/* The number of the comparison; 0 outside of check mode. */
static uint64_t agree_later(const struct comm *comm, const struct agreed *own, const void *site) {
    if (!mpi.check) {
        return 0;
    }
    struct comparison *c = allocate(sizeof *c, site);
    compare_begin(c, comm, own, site);
    c->number = ++comparisons.count;
    c->next = comparisons.first;
    comparisons.first = c;
    return c->number;
}

/* Ends the comparisons to which all ranks have come. */
static void compare_some(void) {
    for (struct comparison **place = &comparisons.first; *place != NULL;) {
        struct comparison *c = *place;
        if (compare_end(c)) {
            *place = c->next;
            free(c);
        } else {
            place = &c->next;
        }
    }
}

/* One that is under way; NULL: it has ended. */
static const struct comparison *comparison_find(uint64_t number) {
    const struct comparison *c = comparisons.first;
    while (c != NULL && c->number != number) {
        c = c->next;
    }
    return c;
}

/* All ranks are at the end. */
static void compare_all(const void *site) {
    const double begun = MPI_Wtime();
    for (compare_some(); comparisons.first != NULL; compare_some()) {
        expect_in_time(comparisons.first, begun, site);
    }
}

/* Operations of the program's own are numbered as a rank has registered them. */
static int32_t agreed_tag(const struct leg *leg) { return leg->tag < USER ? leg->tag : USER; }

/* Before the reverse of a collective call. Outside of check mode does nothing. */
static void agree(const struct leg *leg, const struct head *head, const void *site) {
    if (mpi.check) {
        const int32_t kind = (int32_t)layouts.at[leg->layout]->kind;
        const struct agreed own = {.operation = (int32_t)head->operation, .root = leg->peer,
                                   .reduction = agreed_tag(leg), .kind = kind, .values = leg->values};
        agree_on(comms.at[leg->comm], &own, site);
    }
}

/* Before a call of the library's own. */
static void agree_together(const struct comm *comm, enum together call, const void *site) {
    if (mpi.check) {
        const struct agreed own = {.operation = -1 - (int32_t)call};
        agree_on(comm, &own, site);
    }
}
