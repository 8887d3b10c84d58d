/* travelling.c: the reverse of nonblocking collective calls: adjoints that the reverse of a wait has sent and asked for. */

/* What is under way. The adjoint of a rank's own block does not travel: it is kept. */
struct travelling {
    struct head head;
    struct leg leg; /* of what is given; peer and number of values change */
    struct blocks given;
    void *given_b, *own;
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
    t->given_b = legs[0].flags & LEG_IN_PLACE ? got_b : t->given_b;
    got_b = legs[1].flags & LEG_IN_PLACE ? t->given_b : got_b;
    t->leg = legs[0];
    t->incoming = allocate_zeros((size_t)ranks * sizeof *t->incoming, site);
    if (legs[0].integers) {
        memset(t->given.values, 0, (size_t)ranks * sizeof *t->given.values);
        memset(got.values, 0, (size_t)ranks * sizeof *got.values);
    }
    t->own = send_blocks(&legs[1], &got, got_b, operation, site);
    for (int i = 0; i < ranks; i++) {
        if (t->given.values[i] > 0 && i != comms.at[legs[0].comm]->rank) {
            const struct leg one = leg_with(&t->leg, i, t->given.values[i]);
            t->incoming[i] = incoming_begin(&one, site);
        }
    }
    blocks_free(&got);
    return t;
}

/* The reverse of the call: adjoints are added up in the order of ranks. */
static void collective_reverse(enum operation operation, const void *site) {
    struct head head;
    struct leg leg;
    pop_head(operation, &head, site);
    pop_legs(&leg, 1, site);
    struct exchange *exchange = exchange_take(&leg, &head);
    struct travelling *t = exchange->travelling;
    const struct layout *layout = layouts.at[t->leg.layout];
    for (int i = 0; i < t->given.ranks; i++) {
        char *to = t->given_b != NULL ? (char *)t->given_b + t->given.places[i] : NULL;
        const struct leg one = leg_with(&t->leg, i, t->given.values[i]);
        if (one.values == 0) {
            continue;
        }
        if (i != comms.at[t->leg.comm]->rank) {
            incoming_end(&one, &t->incoming[i], to, &head, site);
        } else if (to != NULL && t->own != NULL) {
            pack(ADD, to, t->own, layout, one.values);
        }
    }
    blocks_free(&t->given);
    free(t->own);
    free(t->incoming);
    free(t);
    free(exchange);
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
