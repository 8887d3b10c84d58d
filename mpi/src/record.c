/* record.c: what forward calls leave on the tape, and where adjoints are.
 *
 *   | data of the call | pointers to buffers | legs | head |  <- top
 *
 * Data and pointers are there where the call needs them; the head is always there. Legs are in the order of the call's
 * arguments, of Waitall in that of the requests. */

enum { RECORD_MAGIC = 0x4d504941 };

enum leg_flag {
    LEG_MESSAGE = 1,   /* a message whose adjoint travels: between two ranks, of float or double, not empty */
    LEG_RECEIVED = 2,  /* by this rank */
    LEG_POINTER = 4,   /* a pointer to the buffer is on the tape */
    LEG_OUTSIDE = 8,   /* float or double in no range that was alive */
    LEG_LATE = 16,     /* the number is in late_numbers, under the serial that stands in its place */
    LEG_IN_PLACE = 32, /* the buffer is the other leg's */
    LEG_COLLECTIVE = 64, /* of a wait: a collective call was completed, whose record lies below */
};

struct leg {
    int64_t values;      /* float or double numbers */
    uint64_t number;     /* of the message */
    uint64_t serial;     /* of the request */
    int32_t comm, layout;
    int32_t peer, tag;   /* of a collective call: the root and the operation */
    uint32_t flags;
    int32_t integers;    /* 1: the datatype has no derivative */
};
struct head {
    uint32_t magic;
    int32_t legs;
    uint32_t operation;
    uint32_t unused;
    const void *site; /* of the forward call */
};
/* A leg that is being made, and what it points to. */
struct draft {
    struct leg leg;
    const void *pointer;
};

/* ---- the tape ---- */

static void push_bytes(const void *x, size_t bytes, const void *site) {
    adtape_t *t = adtape_self();
    if (bytes == 0) {
        return;
    }
    if (ADTAPE_RARE_(t->cur + bytes > t->limit)) {
        t = adtape_abi0_push_room_from(t, ADTAPE_TYPE_BYTES, (int64_t)bytes, x, site);
    }
    if (bytes < ADTAPE_BIG_BYTES_) {
        memcpy((void *)t->cur, x, bytes);
        t->cur += bytes;
    } else {
        adtape_abi0_copy_in(t, x, bytes);
    }
}

static void pop_bytes(void *x, size_t bytes, const void *site) {
    adtape_t *t = adtape_self();
    if (bytes == 0) {
        return;
    }
    if (ADTAPE_RARE_(bytes > t->cur - t->floor)) {
        t = adtape_abi0_pop_room_into(t, ADTAPE_TYPE_BYTES, (int64_t)bytes, x, site);
    }
    if (bytes < ADTAPE_BIG_BYTES_) {
        t->cur -= bytes;
        memcpy(x, (const void *)t->cur, bytes);
    } else {
        adtape_abi0_copy_out(t, x, bytes);
    }
}

static void record_push(enum operation operation, struct draft *drafts, int legs, const void *site) {
    const struct head head = {RECORD_MAGIC, legs, operation, 0, site};
    if (mpi.check) {
        adtape_abi0_site(site);
    }
    for (int i = 0; i < legs; i++) {
        if (drafts[i].leg.flags & LEG_POINTER) {
            adtape_push_pointer(adtape_self(), NULL, drafts[i].pointer);
        }
    }
    if (mpi.check) {
        adtape_abi0_site(NULL);
    }
    for (int i = 0; i < legs; i++) {
        push_bytes(&drafts[i].leg, sizeof drafts[i].leg, site);
    }
    push_bytes(&head, sizeof head, site);
}

static void pop_head(enum operation operation, struct head *head, const void *site) {
    expect_ready(site);
    const adtape_t *t = adtape_self();
    adtape_stats_t stats;
    if (ADTAPE_RARE_(sizeof *head > t->cur - t->floor) &&
        adtape_stats(adtape_self(), &stats) == ADTAPE_STATUS_OK && stats.bytes < (int64_t)sizeof *head) {
        fail(ADTAPE_STATUS_UNDERFLOW, site, "reverse of %s, but no call of the forward sweep is left on the tape",
             operation_names[operation]);
    }
    pop_bytes(head, sizeof *head, site);
    if (head->magic != RECORD_MAGIC) {
        fail(ADTAPE_STATUS_MISMATCH, site,
             "reverse of %s, but what is on the tape is no record of a call of MPI\n"
             "  the reverse sweep mirrors the forward sweep; ADTAPE_CHECK=1 names the first pop that does not",
             operation_names[operation]);
    }
    if (head->operation != (uint32_t)operation) {
        fail(ADTAPE_STATUS_MISMATCH, site,
             "reverse of %s, but the last call of the forward sweep that is left to reverse is %s",
             operation_names[operation], operation_names[head->operation]);
    }
}

static void pop_legs(struct leg *legs, int count, const void *site) {
    for (int i = count - 1; i >= 0; i--) {
        pop_bytes(&legs[i], sizeof legs[i], site);
    }
}

/* ---- buffers of the forward sweep ---- */

static __attribute__((cold, noreturn)) void refuse_type(const struct layout *layout, const void *site) {
    if (layout->class == PAIRS) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "a pair of a value and its place, which is an integer, cannot be reversed as a message\n"
             "  send the value by itself, or MPI_2DOUBLE_PRECISION or MPI_2REAL; reduce pairs by MPI_MAXLOC or "
             "MPI_MINLOC");
    }
    if (layout->class == UNKNOWN) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "a datatype whose adjoint adtape_mpi cannot send\n"
             "  it takes float, double, complex numbers of them, and types derived from these; MPI_PACKED does not say "
             "what is packed");
    }
    fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
         "a datatype of integers and floating-point numbers, %" PRId64 " of these, cannot be reversed as a whole\n"
         "  send the floating-point numbers by themselves; a message without a derivative goes by MPI's own call",
         layout->values);
}

/* Integers lie in a buffer that has an adjoint: either they are floating-point numbers sent as bytes, or their place
 * in the adjoint holds no derivative. */
static __attribute__((cold, noreturn)) void refuse_integers(const adtape_range_t *range, const void *site) {
    fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
         "a datatype of integers or bytes for a buffer in `%s`, which has an adjoint\n"
         "  name the type of the values (MPI_DOUBLE); integers that lie there go by MPI's own call",
         adtape_range_label(NULL, range));
}

/* A buffer of `elements` elements of a layout. `pairs`: it may be of values with their places. */
static struct draft draft_layout(const void *buffer, int64_t elements, int number, bool pairs, const void *site) {
    struct draft draft = {.leg = {.layout = number}};
    const struct layout *layout = layouts.at[number];
    adtape_range_t range;
    if (elements <= 0 || layout->class == NOTHING) {
        draft.leg.integers = layout->class != FIELDS;
        return draft;
    }
    if (layout->class == BOTH || layout->class == UNKNOWN || (layout->class == PAIRS && !pairs)) {
        refuse_type(layout, site);
    }
    draft.leg.values = elements * layout->values;
    draft.leg.integers = layout->class == INTEGERS;
    draft.pointer = (const char *)buffer + layout->lower;
    if (adtape_live_find(NULL, draft.pointer, &range) != ADTAPE_STATUS_OK) {
        draft.leg.flags = draft.leg.integers ? 0 : LEG_OUTSIDE;
        return draft;
    }
    draft.leg.flags = LEG_POINTER;
    if (draft.leg.integers && range.adjoint_base != NULL) {
        refuse_integers(&range, site);
    }
    const int64_t begin = (int64_t)((const char *)draft.pointer - (const char *)range.base);
    const int64_t bytes = (elements - 1) * layout->extent + layout->upper - layout->lower;
    if (begin + bytes > range.bytes) {
        fail(ADTAPE_STATUS_NO_RANGE, site,
             "a buffer of %" PRId64 " bytes at byte %" PRId64 " of `%s`, which has %" PRId64 " bytes only\n"
             "  the count, the datatype or the size in adtape_live_add is wrong",
             bytes, begin, adtape_range_label(NULL, &range), range.bytes);
    }
    return draft;
}

static struct draft draft_any(const void *buffer, int64_t elements, MPI_Datatype type, bool pairs, const void *site) {
    return draft_layout(buffer, elements, layout_number(type, site), pairs, site);
}

static struct draft draft_buffer(const void *buffer, int64_t elements, MPI_Datatype type, const void *site) {
    return draft_any(buffer, elements, type, false, site);
}

/* ---- adjoints in the reverse sweep ---- */

/* What was popped last. They are always there to be written to, as a pointer that waits asks for. */
static void *popped, *popped_adjoint;

/* The adjoint of a leg's buffer, NULL if it has none. Pops its pointer. `given` is what the program says, or NULL. */
static void *leg_adjoint(const struct leg *leg, void *const *given, const struct head *head, const void *site) {
    const struct layout *layout = layouts.at[leg->layout];
    adtape_range_t range;
    if (leg->flags & LEG_POINTER) {
        if (mpi.check) {
            adtape_abi0_site(site);
        }
        adtape_pop_pointer(adtape_self(), NULL, &popped, &popped_adjoint);
        if (mpi.check) {
            adtape_abi0_site(NULL);
        }
    }
    if (given != NULL) {
        return *given;
    }
    if (leg->flags & LEG_OUTSIDE) {
        fail(ADTAPE_STATUS_NO_RANGE, head->site,
             "the buffer of this %s is in no range that was alive, so where its adjoint is is not known\n"
             "  register it by adtape_live_add; or reverse the call by adtape_%s_b_at, with the adjoint's address, "
             "NULL for none",
             operation_names[head->operation], operation_names[head->operation]);
    }
    if (!(leg->flags & LEG_POINTER)) {
        return NULL;
    }
    if (popped == NULL) {
        fail(ADTAPE_STATUS_NO_RANGE, site,
             "the buffer of this %s has ended and is not back yet\n"
             "  adtape_rebase_add comes before the calls on what it brings back",
             operation_names[head->operation]);
    }
    if (popped_adjoint == NULL || adtape_live_find(NULL, popped, &range) != ADTAPE_STATUS_OK) {
        return NULL;
    }
    if (leg->integers) {
        refuse_integers(&range, head->site);
    }
    if (range.adjoint_bytes != range.bytes) {
        fail(ADTAPE_STATUS_UNEVEN, site,
             "the adjoint of `%s` has %" PRId64 " bytes, and it has %" PRId64 "\n"
             "  what is sent has an adjoint of its own type and layout",
             adtape_range_label(NULL, &range), range.adjoint_bytes, range.bytes);
    }
    return (char *)popped_adjoint - layout->lower;
}
