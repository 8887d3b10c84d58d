/* travelling.c: the reverse of nonblocking collective calls: adjoints that the reverse of a wait has sent and asked for. */

/* What is under way. The adjoint of a rank's own block does not travel: it is kept. */
struct travelling {
    struct head head;
    struct leg leg; /* of what is given; peer and number of values change */
    struct blocks given;
    void *given_b, *own;
    char *all_x; /* of a reduction by another operation than SUM: what all ranks gave */
    struct incoming *incoming;
};

static struct leg leg_with(const struct leg *leg, int peer, int64_t values) {
    struct leg one = *leg;
    one.peer = peer;
    one.values = values;
    one.tag = collective_tag();
    one.number = leg->serial | COLLECTIVE_NUMBER;
    return one;
}

/* Sends the adjoints of the blocks of what was got, which are zero then. A block may be that of several ranks. Returns the
 * own one, packed. */
static void *send_blocks(const struct leg *leg, const struct blocks *got, char *got_b, enum operation operation,
                         const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    const int own = comms.at[leg->comm]->rank;
    void *kept = NULL;
    for (int i = 0; i < got->ranks; i++) {
        const struct leg one = leg_with(leg, i, got->values[i]);
        if (one.values > 0 && i != own) {
            adjoint_send_by(COPY, &one, operation, got_b != NULL ? got_b + got->places[i] : NULL, site);
        } else if (one.values > 0 && got_b != NULL) {
            kept = allocate((size_t)packed_bytes(layout, one.values), site);
            pack(COPY, got_b + got->places[i], kept, layout, one.values);
        }
    }
    for (int i = 0; i < got->ranks && got_b != NULL; i++) {
        void *taken = allocate((size_t)packed_bytes(layout, got->values[i]), site);
        pack(TAKE, got_b + got->places[i], taken, layout, got->values[i]);
        free(taken);
    }
    return kept;
}

/* Pops the record of a call that the wait has completed; its adjoints begin to travel. */
static struct travelling *travel_begin(const void *site) {
    struct travelling *t = allocate_zeros(sizeof *t, site);
    struct leg legs[2];
    enum operation operation;
    pop_bytes(&t->head, sizeof t->head, site);
    pop_legs(legs, 2, site);
    void *got_b = leg_adjoint(&legs[1], NULL, &t->head, site);
    t->given_b = leg_adjoint(&legs[0], NULL, &t->head, site);
    pop_bytes(&operation, sizeof operation, site);
    const int ranks = comms.at[legs[0].comm]->size;
    struct blocks got = pop_blocks(ranks, site);
    t->given = pop_blocks(ranks, site);
    t->all_x = gathered_pop(&legs[0], site);
    share_adjoint(legs, &t->given_b, &got_b);
    t->leg = legs[0];
    t->incoming = allocate_zeros((size_t)ranks * sizeof *t->incoming, site);
    t->own = send_blocks(&legs[1], &got, got_b, operation, site);
    for (int i = 0; i < ranks; i++) {
        if (t->given.values[i] > 0 && i != comms.at[legs[0].comm]->rank) {
            const struct leg one = leg_with(&t->leg, i, t->given.values[i]);
            incoming_begin(&t->incoming[i], &one, site);
        }
    }
    blocks_free(&got);
    return t;
}

/* Adds the adjoint that comes from a rank, if any does. */
static void travel_end(struct travelling *t, int rank, void *to, const struct head *head, const void *site) {
    const struct leg one = leg_with(&t->leg, rank, t->given.values[rank]);
    if (one.values == 0) {
        return;
    }
    if (rank != comms.at[t->leg.comm]->rank) {
        incoming_end(&one, &t->incoming[rank], to, head, site);
    } else if (to != NULL && t->own != NULL) {
        pack(ADD, to, t->own, layouts.at[t->leg.layout], one.values);
    }
}

/* Of other operations than SUM: the adjoints of the results, of all but Iscan that of the last rank's, which all have or
 * a part of it. */
static void travel_end_gathered(struct travelling *t, enum operation operation, const struct head *head,
                                const void *site) {
    const struct leg *leg = &t->leg;
    const struct layout *layout = layouts.at[leg->layout];
    const size_t raw = raw_bytes(layout, leg->values), packed = (size_t)packed_bytes(layout, leg->values);
    const int ranks = t->given.ranks;
    char *all_yb = allocate_zeros(packed * (size_t)ranks, site), *xb = allocate_zeros(packed, site);
    for (int i = 0; i < ranks; i++) {
        const int64_t values = t->given.values[i], first = t->given.places[i] / layout->extent * layout->values;
        char *came = allocate_zeros(raw, site), *yb = all_yb + packed * (size_t)(operation == OP_Iscan ? i : ranks - 1);
        travel_end(t, i, came, head, site);
        pack(COPY, came, xb, layout, values);
        add_floats(yb + packed_bytes(layout, first), xb, values, layout->kind);
        free(came);
    }
    gathered_b(xb, all_yb, t->all_x, leg, site);
    add_adjoint(t->given_b, xb, leg);
    free(xb);
    free(all_yb);
}

/* The reverse of the call: adjoints are added up in the order of ranks. */
static void collective_reverse(enum operation operation, const void *site) {
    struct head head;
    struct leg leg;
    pop_record(operation, &head, &leg, 1, site);
    struct exchange *exchange = exchange_take(&leg, &head);
    struct travelling *t = exchange->travelling;
    if (t->all_x != NULL) {
        travel_end_gathered(t, operation, &head, site);
    }
    for (int i = 0; i < t->given.ranks && t->all_x == NULL; i++) {
        travel_end(t, i, t->given_b != NULL ? (char *)t->given_b + t->given.places[i] : NULL, &head, site);
    }
    free(t->all_x);
    blocks_free(&t->given);
    free(t->own);
    free(t->incoming);
    free(t);
    exchange_end(exchange);
}

#define DEFINE_COLLECTIVE_(name) \
    API void adtape_MPI_##name##_b(void) { collective_reverse(OP_##name, SITE); }
DEFINE_COLLECTIVE_(Ibarrier)
DEFINE_COLLECTIVE_(Ibcast)
DEFINE_COLLECTIVE_(Ireduce)
DEFINE_COLLECTIVE_(Iallreduce)
DEFINE_COLLECTIVE_(Ireduce_scatter)
DEFINE_COLLECTIVE_(Ireduce_scatter_block)
DEFINE_COLLECTIVE_(Iscan)
DEFINE_COLLECTIVE_(Igather)
DEFINE_COLLECTIVE_(Igatherv)
DEFINE_COLLECTIVE_(Iscatter)
DEFINE_COLLECTIVE_(Iscatterv)
DEFINE_COLLECTIVE_(Iallgather)
DEFINE_COLLECTIVE_(Iallgatherv)
DEFINE_COLLECTIVE_(Ialltoall)
DEFINE_COLLECTIVE_(Ialltoallv)
