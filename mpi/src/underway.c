/* underway.c: the reverse of requests. The reverse of a wait begins an exchange for each of its requests; the reverse
 * of the call that made the request ends it. */

/* What the reverse of a wait has begun. */
struct exchange {
    uint64_t serial;          /* of the request */
    struct exchange *next;    /* of the chain */
    struct incoming incoming; /* of what was sent; of what was received, its request if it goes from the adjoint */
    void *adjoint;            /* of what is received and goes from it, and is zero then; else NULL */
    int64_t values;           /* of that */
    struct travelling *travelling; /* of a collective call, else undefined */
};
/* Exchanges by the low bits of their serials, which follow each other. Mostly few are under way, and each has a place
 * of its own; chains have those whose place is taken, and are short for the same reason. */
enum { NEAR = 16 };
static struct {
    struct exchange near[NEAR]; /* serial 0: free */
    struct exchange **chains;
    size_t capacity, count; /* of chains: capacity is 0 or a power of two */
} underway;

/* collective calls: travelling.c */
static struct travelling *travel_begin(const void *site);

/* ---- exchanges ---- */

static __attribute__((cold, noinline)) void underway_grow(const void *site) {
    const size_t capacity = underway.capacity > 0 ? 2 * underway.capacity : 64;
    struct exchange **chains = allocate_zeros(capacity * sizeof *chains, site);
    for (size_t i = 0; i < underway.capacity; i++) {
        while (underway.chains[i] != NULL) {
            struct exchange *exchange = underway.chains[i], **chain = &chains[exchange->serial & (capacity - 1)];
            underway.chains[i] = exchange->next;
            exchange->next = *chain;
            *chain = exchange;
        }
    }
    free(underway.chains);
    underway.chains = chains;
    underway.capacity = capacity;
}

static __attribute__((noinline)) struct exchange *exchange_chained(uint64_t serial, const void *site) {
    if (underway.count == underway.capacity) {
        underway_grow(site);
    }
    struct exchange *exchange = room_allocate(sizeof *exchange, site);
    struct exchange **chain = &underway.chains[serial & (underway.capacity - 1)];
    exchange->next = *chain;
    *chain = exchange;
    underway.count++;
    return exchange;
}

static inline struct exchange *exchange_new(uint64_t serial, const void *site) {
    struct exchange *exchange = &underway.near[serial % NEAR];
    if (__builtin_expect(exchange->serial != 0, 0)) {
        exchange = exchange_chained(serial, site);
    }
    exchange->serial = serial;
    exchange->incoming.request = MPI_REQUEST_NULL;
    exchange->adjoint = NULL;
    return exchange;
}

static __attribute__((noinline)) struct exchange *exchange_unchain(uint64_t serial, const struct head *head) {
    struct exchange **place = underway.capacity > 0 ? &underway.chains[serial & (underway.capacity - 1)] : NULL;
    while (place != NULL && *place != NULL && (*place)->serial != serial) {
        place = &(*place)->next;
    }
    if (place == NULL || *place == NULL) {
        fail(ADTAPE_STATUS_MISMATCH, head->site,
             "the request of this %s was not waited for by a call of adtape_mpi, or that wait is not reversed",
             operation_names[head->operation]);
    }
    struct exchange *exchange = *place;
    *place = exchange->next;
    underway.count--;
    return exchange;
}

/* What the reverse of the request's wait has begun. Ends by exchange_end. */
static inline struct exchange *exchange_take(const struct leg *leg, const struct head *head) {
    struct exchange *exchange = &underway.near[leg->serial % NEAR];
    const bool is_near = __builtin_expect(exchange->serial == leg->serial && leg->serial != 0, 1);
    return is_near ? exchange : exchange_unchain(leg->serial, head);
}

static inline void exchange_end(struct exchange *exchange) {
    if (__builtin_expect(exchange == &underway.near[exchange->serial % NEAR], 1)) {
        exchange->serial = 0;
    } else {
        room_free(exchange);
    }
}

static void underway_end(void) {
    free(underway.chains);
    memset(&underway, 0, sizeof underway);
}

/* ---- waits: reverse ---- */

/* The reverse of the wait for what was sent asks for its adjoint. A request of MPI_REQUEST_NULL has no serial. */
static inline void ask_for_adjoint(const struct leg *leg, const void *site) {
    struct exchange *exchange = exchange_new(leg->serial, site);
    if (leg->flags & LEG_MESSAGE) {
        incoming_begin(&exchange->incoming, leg, site);
    }
}

/* The reverse of the wait for what was received sends its adjoint. */
INLINED void return_adjoint(struct leg *leg, void *adjoint, const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    struct exchange *exchange = exchange_new(leg->serial, site);
    settle_leg(leg, site);
    if (!(leg->flags & LEG_MESSAGE)) {
        return;
    }
    if (adjoint == NULL || !layout->dense || is_headed(leg)) {
        adjoint_send(leg, OP_Irecv, adjoint, site);
        return;
    }
    exchange->adjoint = adjoint;
    exchange->values = leg->values;
    exchange->incoming.request = plain_send_whole(leg, adjoint, packed_bytes(layout, leg->values), site);
}

static __attribute__((noinline)) void ask_for_collective(const struct leg *leg, const void *site) {
    exchange_new(leg->serial, site)->travelling = travel_begin(site);
}

enum { FEW = 16 };

/* All adjoints are sent before one is asked for: while they travel, the receives are posted. The last ones come first, as
 * the partner asks for them. */
static void wait_reverse(enum operation operation, void *const *given, const void *site) {
    struct head head;
    pop_head(operation, &head, site);
    const bool few = head.legs <= FEW;
    struct leg few_legs[FEW], *legs = few ? few_legs : allocate((size_t)head.legs * sizeof *legs, site);
    pop_legs(legs, head.legs, site);
    for (int i = head.legs - 1; i >= 0; i--) {
        if (legs[i].flags & LEG_RECEIVED) {
            return_adjoint(&legs[i], leg_adjoint(&legs[i], given != NULL ? given + i : NULL, &head, site), site);
        }
    }
    for (int i = head.legs - 1; i >= 0; i--) {
        const struct leg *leg = &legs[i];
        if (leg->flags & LEG_COLLECTIVE) {
            /* The records of such calls lie below that of the wait, the last one on top. */
            ask_for_collective(leg, site);
        } else if (leg->serial != 0 && !(leg->flags & LEG_RECEIVED)) {
            ask_for_adjoint(leg, site);
        }
    }
    if (!few) {
        free(legs);
    }
}

/* ---- Isend, Irecv: reverse ---- */

/* Waits for the adjoint of what was sent. */
INLINED void sent_reverse(const struct leg *leg, void *adjoint, const struct head *head, const void *site) {
    struct exchange *exchange = exchange_take(leg, head);
    if (leg->flags & LEG_MESSAGE) {
        incoming_end(leg, &exchange->incoming, adjoint, head, site);
    }
    exchange_end(exchange);
}

/* Waits until the adjoint of what was received is sent. The reverse of the wait knew where it is. */
INLINED void received_reverse(const struct leg *leg, const struct head *head, const void *site) {
    struct exchange *exchange = exchange_take(leg, head);
    if (exchange->adjoint != NULL) {
        expect(MPI_Wait(&exchange->incoming.request, MPI_STATUS_IGNORE), site,
               "MPI_Wait for an adjoint that was sent");
        clear_dense(exchange->adjoint, layouts.at[leg->layout], exchange->values);
    }
    exchange_end(exchange);
}

INLINED void isend_reverse(void *const *given, const void *site) {
    struct head head;
    struct leg leg;
    pop_record(OP_Isend, &head, &leg, 1, site);
    void *adjoint = leg_adjoint(&leg, given, &head, site);
    sent_reverse(&leg, adjoint, &head, site);
}

API void adtape_MPI_Isend_b(void) { isend_reverse(NULL, SITE); }
API void adtape_MPI_Isend_b_at(void *buf_b) { isend_reverse(&buf_b, SITE); }

INLINED void irecv_reverse(enum operation operation, const void *site) {
    struct head head;
    struct leg leg;
    pop_record(operation, &head, &leg, 1, site);
    received_reverse(&leg, &head, site);
}

API void adtape_MPI_Irecv_b(void) { irecv_reverse(OP_Irecv, SITE); }
