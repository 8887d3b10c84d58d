/* record.c: what forward calls leave on the tape, and where adjoints are.
 *
 *   | data of the call | legs | head |  <- top
 *
 * Data is there where the call needs it; the head is always there. Legs are in the order of the call's arguments, of
 * Waitall in that of the requests. A leg says in which object its buffer is and how far into it, so that the reverse
 * sweep finds it wherever that lies then. */

enum { RECORD_MAGIC = 0x4d504941 };

enum leg_flag {
    LEG_MESSAGE = 1,   /* a message whose adjoint travels: between two ranks, of float or double, not empty */
    LEG_RECEIVED = 2,  /* by this rank */
    LEG_INSIDE = 4,    /* the buffer is in an object */
    LEG_OUTSIDE = 8,   /* float or double in no range that was alive */
    LEG_LATE = 16,     /* the number is in late_numbers, under the serial that stands in its place */
    LEG_IN_PLACE = 32, /* the buffer is the other leg's */
    LEG_COLLECTIVE = 64, /* of a wait: a collective call was completed, whose record lies below */
    LEG_JOINED = 128,  /* the buffer is in several objects: `object` is the number of its join */
};

struct leg {
    int64_t values;      /* float or double numbers */
    uint64_t number;     /* of the message */
    uint64_t serial;     /* of the request */
    int64_t object;      /* LEG_INSIDE: its serial, and where the buffer's address is, from the object's */
    int64_t offset;
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

/* Inlined, so that the sizes of heads and legs are constants. */
INLINED void pop_bytes(void *x, size_t bytes, const void *site) {
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

/* Each leg by itself, because some pops take one (check mode compares them). */
static __attribute__((noinline)) void record_push_any(const struct head *head, struct leg *legs, const void *site) {
    for (int i = 0; i < head->legs; i++) {
        push_bytes(&legs[i], sizeof legs[i], site);
    }
    push_bytes(head, sizeof *head, site);
}

/* One or two legs go without a call, because their sizes are constants then. */
static inline void record_push(enum operation operation, struct leg *legs, int count, const void *site) {
    const struct head head = {RECORD_MAGIC, count, operation, 0, site};
    adtape_t *t = adtape_self();
    char *to = (char *)t->cur;
    if ((count != 1 && count != 2) || ADTAPE_RARE_(t->cur + 2 * sizeof *legs + sizeof head > t->limit)) {
        record_push_any(&head, legs, site);
        return;
    }
    memcpy(to, legs, sizeof *legs);
    to += sizeof *legs;
    if (count == 2) {
        memcpy(to, legs + 1, sizeof *legs);
        to += sizeof *legs;
    }
    memcpy(to, &head, sizeof head);
    t->cur += (size_t)count * sizeof *legs + sizeof head;
}

static __attribute__((cold, noreturn)) void refuse_head(enum operation operation, const struct head *head,
                                                        const void *site) {
    if (head->magic != RECORD_MAGIC) {
        fail(ADTAPE_STATUS_MISMATCH, site,
             "reverse of %s, but what is on the tape is no record of a call of MPI\n"
             "  the reverse sweep mirrors the forward sweep; ADTAPE_CHECK=1 names the first pop that does not",
             operation_names[operation]);
    }
    fail(ADTAPE_STATUS_MISMATCH, site,
         "reverse of %s, but the last call of the forward sweep that is left to reverse is %s",
         operation_names[operation], operation_names[head->operation]);
}

static inline void expect_operation(enum operation operation, const struct head *head, const void *site) {
    if (__builtin_expect(head->magic != RECORD_MAGIC || head->operation != (uint32_t)operation, 0)) {
        refuse_head(operation, head, site);
    }
}

static __attribute__((cold, noinline)) void expect_head(enum operation operation, const void *site) {
    adtape_stats_t stats;
    if (adtape_stats(adtape_self(), &stats) == ADTAPE_STATUS_OK && stats.bytes < (int64_t)sizeof(struct head)) {
        fail(ADTAPE_STATUS_UNDERFLOW, site, "reverse of %s, but no call of the forward sweep is left on the tape",
             operation_names[operation]);
    }
}

static inline void pop_head(enum operation operation, struct head *head, const void *site) {
    expect_ready(site);
    const adtape_t *t = adtape_self();
    if (ADTAPE_RARE_(sizeof *head > t->cur - t->floor)) {
        expect_head(operation, site);
    }
    pop_bytes(head, sizeof *head, site);
    expect_operation(operation, head, site);
}

/* One after the other they go without a call, because the size of each is a constant. */
static inline void pop_legs(struct leg *legs, int count, const void *site) {
    adtape_t *t = adtape_self();
    const size_t bytes = (size_t)count * sizeof *legs;
    if (ADTAPE_RARE_(bytes > t->cur - t->floor)) {
        for (int i = count - 1; i >= 0; i--) {
            pop_bytes(&legs[i], sizeof legs[i], site);
        }
        return;
    }
    t->cur -= bytes;
    for (int i = 0; i < count; i++) {
        memcpy(&legs[i], (const char *)t->cur + (size_t)i * sizeof *legs, sizeof *legs);
    }
}

/* Both, where the operation says how many legs there are. Mostly they lie one behind the other in memory. */
INLINED void pop_record(enum operation operation, struct head *head, struct leg *legs, int count, const void *site) {
    adtape_t *t = adtape_self();
    const size_t bytes = (size_t)count * sizeof *legs;
    const char *from = (const char *)t->cur - sizeof *head;
    expect_ready(site);
    if (ADTAPE_RARE_(bytes + sizeof *head > t->cur - t->floor)) {
        pop_head(operation, head, site);
        pop_legs(legs, count, site);
        return;
    }
    memcpy(head, from, sizeof *head);
    expect_operation(operation, head, site);
    memcpy(legs, from - bytes, bytes);
    t->cur -= bytes + sizeof *head;
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

/* For messages. */
static const char *label_of(const adtape_abi0_buffer_t *object) {
    adtape_range_t range;
    const bool found = adtape_live_find(NULL, (const void *)(uintptr_t)object->base, &range) == ADTAPE_STATUS_OK;
    return found ? adtape_range_label(NULL, &range) : "";
}

/* Integers lie in a buffer that has an adjoint: either they are floating-point numbers sent as bytes, or their place
 * in the adjoint holds no derivative. */
static __attribute__((cold, noreturn)) void refuse_integers(const adtape_abi0_buffer_t *object, const void *site) {
    fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
         "a datatype of integers or bytes for a buffer in `%s`, which has an adjoint\n"
         "  name the type of the values (MPI_DOUBLE); integers that lie there go by MPI's own call",
         label_of(object));
}

static __attribute__((cold, noreturn)) void refuse_length(int64_t bytes, int64_t offset,
                                                          const adtape_abi0_buffer_t *object, const void *site) {
    fail(ADTAPE_STATUS_NO_RANGE, site,
         "a buffer of %" PRId64 " bytes at byte %" PRId64 " of `%s`, which has %" PRId64 " bytes only\n"
         "  the count, the datatype or the size in adtape_live_add is wrong; several variables go in one message by a "
         "datatype that joins them, and are reduced one by one",
         bytes, offset, label_of(object), object->bytes);
}

/* A piece of a buffer that a datatype joins. */
static __attribute__((cold, noreturn)) void refuse_piece(const struct outside *piece, const struct layout *layout,
                                                         const void *site) {
    char where[160] = "lie in no range";
    if (piece->found) {
        (void)snprintf(where, sizeof where, "lie not within `%s`, which has %" PRId64 " bytes",
                       label_of(&piece->object), piece->object.bytes);
    }
    fail(ADTAPE_STATUS_NO_RANGE, site,
         "a datatype that joins several variables: %" PRId64 " bytes of it, %" PRId64 " behind its first one, %s\n"
         "  a length or an address in the datatype is wrong, or the size in adtape_live_add; register each variable",
         piece->bytes, piece->offset - layout->lower, where);
}

API void adtape_mpi_abi0_expect_precision(MPI_Datatype datatype, int bytes) {
    static const char *const names[] = {[F32] = "single", [F64] = "double"};
    const void *site = SITE;
    if (!mpi.ready || datatype == MPI_DATATYPE_NULL) {
        return; /* an error of the call that follows */
    }
    const struct layout *layout = layout_of(datatype, site);
    const enum kind buffer = bytes == 4 ? F32 : F64;
    if (layout->class == FIELDS && !layout->mixed && layout->lower == 0 && layout->kind != buffer) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "a datatype of %s precision for a buffer of %s precision\n"
             "  the adjoint has numbers of the buffer's kind: name it, MPI_REAL or MPI_DOUBLE_PRECISION",
             names[layout->kind], names[buffer]);
    }
}

/* Buffers that were found lately: most are used again. Those of the forward sweep by address, with the leg that was
 * drafted for them; those of the reverse sweep by serial, with an adjoint of their size or none. */
enum { RECENT_BITS = 7, RECENT = 1 << RECENT_BITS };
struct drafted {
    const void *buffer;
    int64_t elements;
    struct leg leg;
    adtape_abi0_buffer_t object;
};
static struct {
    struct drafted by_address[RECENT];
    adtape_abi0_buffer_t by_serial[RECENT];
} recent;

/* Whether no object has come, moved or ended since one was found. */
static inline bool is_there(const adtape_abi0_buffer_t *object) {
    return object->counter != NULL && __atomic_load_n(object->counter, __ATOMIC_ACQUIRE) == object->changes;
}

static __attribute__((noinline)) void draft_joined(struct leg *leg, const void *buffer, int64_t elements,
                                                   const void *site) {
    struct outside outside;
    leg->flags = LEG_JOINED;
    leg->object = join_of(leg->layout, buffer, elements, &outside, site);
    if (leg->object < 0) {
        refuse_piece(&outside, layouts.at[leg->layout], site);
    }
}

/* Drafts the leg of a buffer, and keeps it. Buffers of values with their places are for some calls only: they are
 * drafted each time. */
static __attribute__((noinline)) void draft_anew(struct drafted *drafted, const void *buffer, int64_t elements,
                                                 int number, bool pairs, const void *site) {
    const struct layout *layout = layouts.at[number];
    struct leg *leg = &drafted->leg;
    *drafted = (struct drafted){.buffer = buffer, .elements = elements, .leg = {.layout = number}};
    if (elements <= 0 || layout->class == NOTHING) {
        leg->integers = layout->class != FIELDS;
        return;
    }
    if (layout->class == BOTH || layout->class == UNKNOWN || (layout->class == PAIRS && !pairs)) {
        refuse_type(layout, site);
    }
    leg->values = elements * layout->values;
    leg->integers = layout->class == INTEGERS;
    const uint64_t first = (uint64_t)(uintptr_t)buffer + (uint64_t)layout->lower;
    adtape_abi0_buffer_t object;
    if (!adtape_abi0_buffer_find(first, &object)) {
        leg->flags = leg->integers ? 0 : LEG_OUTSIDE;
        if (layout->joins && !pairs && is_partly_inside(layout, buffer)) {
            draft_joined(leg, buffer, elements, site);
        }
        return;
    }
    leg->flags = LEG_INSIDE;
    leg->object = object.serial;
    leg->offset = (int64_t)(uintptr_t)buffer - object.base;
    if (leg->integers && object.adjoint_base != 0) {
        refuse_integers(&object, site);
    }
    const int64_t bytes = (elements - 1) * layout->extent + layout->upper - layout->lower;
    if (leg->offset + layout->lower + bytes > object.bytes) {
        if (!layout->joins || layout->class != FIELDS || pairs) {
            refuse_length(bytes, leg->offset + layout->lower, &object, site);
        }
        draft_joined(leg, buffer, elements, site);
        return;
    }
    if (layout->class != PAIRS) {
        drafted->object = object;
    }
}

/* A buffer of `elements` elements of a layout. `pairs`: it may be of values with their places. Arrays often lie a power
 * of two apart, so each bit of the address has a say in the place. */
static inline struct leg draft_layout(const void *buffer, int64_t elements, int number, bool pairs, const void *site) {
    const uint64_t bits = (uint64_t)(uintptr_t)buffer * UINT64_C(0x9e3779b97f4a7c15);
    struct drafted *drafted = &recent.by_address[bits >> (64 - RECENT_BITS)];
    const bool is_known = drafted->buffer == buffer && drafted->elements == elements &&
                          drafted->leg.layout == number && is_there(&drafted->object);
    if (__builtin_expect(!is_known, 0)) {
        draft_anew(drafted, buffer, elements, number, pairs, site);
    }
    return drafted->leg;
}

static struct leg draft_any(const void *buffer, int64_t elements, MPI_Datatype type, bool pairs, const void *site) {
    return draft_layout(buffer, elements, layout_number(type, site), pairs, site);
}

static struct leg draft_buffer(const void *buffer, int64_t elements, MPI_Datatype type, const void *site) {
    return draft_any(buffer, elements, type, false, site);
}

/* ---- adjoints in the reverse sweep ---- */

static __attribute__((cold, noreturn)) void refuse_outside(const struct head *head) {
    fail(ADTAPE_STATUS_NO_RANGE, head->site,
         "the buffer of this %s is in no range that was alive, so where its adjoint is is not known\n"
         "  register it by adtape_live_add; or reverse the call by adtape_%s_b_at, with the adjoint's address, "
         "NULL for none",
         operation_names[head->operation], operation_names[head->operation]);
}

static __attribute__((cold, noreturn)) void refuse_ended(const struct head *head, const void *site) {
    fail(ADTAPE_STATUS_NO_RANGE, site,
         "the buffer of this %s has ended and is not back yet\n"
         "  adtape_rebase_add comes before the calls on what it brings back",
         operation_names[head->operation]);
}

static __attribute__((cold, noreturn)) void refuse_size(const adtape_abi0_buffer_t *object, const void *site) {
    fail(ADTAPE_STATUS_UNEVEN, site,
         "the adjoint of `%s` has %" PRId64 " bytes, and it has %" PRId64 "\n"
         "  what is sent has an adjoint of its own type and layout",
         label_of(object), object->adjoint_bytes, object->bytes);
}

/* Where a leg's buffer has its adjoint; NULL: nowhere. */
static inline void *adjoint_in(const adtape_abi0_buffer_t *object, const struct leg *leg) {
    return object->adjoint_base != 0 ? (void *)(uintptr_t)(object->adjoint_base + leg->offset) : NULL;
}

/* An object that is there; its adjoint, if there is one, has its size. */
static adtape_abi0_buffer_t object_located(int64_t serial, const struct head *head, const void *site) {
    adtape_abi0_buffer_t object;
    if (!adtape_abi0_buffer_locate((uint64_t)serial, &object)) {
        refuse_ended(head, site);
    }
    if (object.adjoint_base != 0 && object.adjoint_bytes != object.bytes) {
        refuse_size(&object, site);
    }
    return object;
}

/* The adjoint of the first piece that has one. The leg gets the layout of the adjoint, which counts from there. */
static void *adjoint_joined(struct leg *leg, const struct head *head, const void *site) {
    const struct join *join = &joins.at[leg->object];
    const struct layout *layout = layouts.at[join->adjoint];
    int64_t base = 0;
    for (int64_t i = 0; i < layout->segment_count; i++) {
        const adtape_abi0_buffer_t object = object_located(join->pieces[i].object, head, site);
        const int64_t at = object.adjoint_base + join->pieces[i].offset;
        layout->segments[i].absent = object.adjoint_base == 0;
        base = base == 0 && object.adjoint_base != 0 ? at : base;
        layout->segments[i].offset = at - base;
    }
    leg->layout = join->adjoint;
    return (void *)(uintptr_t)base;
}

static __attribute__((noinline)) void *adjoint_anew(struct leg *leg, const struct head *head, const void *site) {
    if (leg->flags & LEG_JOINED) {
        return adjoint_joined(leg, head, site);
    }
    if (!(leg->flags & LEG_INSIDE)) {
        if (leg->flags & LEG_OUTSIDE) {
            refuse_outside(head);
        }
        return NULL;
    }
    const adtape_abi0_buffer_t object = object_located(leg->object, head, site);
    if (object.adjoint_base != 0 && leg->integers) {
        refuse_integers(&object, head->site);
    }
    recent.by_serial[(uint64_t)leg->object % RECENT] = object;
    return adjoint_in(&object, leg);
}

/* The adjoint of a leg's buffer, NULL if it has none; the leg's layout is then that of the adjoint. `given` is what the
 * program says, or NULL. */
static inline void *leg_adjoint(struct leg *leg, void *const *given, const struct head *head, const void *site) {
    const adtape_abi0_buffer_t *object = &recent.by_serial[(uint64_t)leg->object % RECENT];
    if (given != NULL) {
        return *given;
    }
    const bool is_known = leg->flags & LEG_INSIDE && !leg->integers && object->serial == leg->object && is_there(object);
    return __builtin_expect(is_known, 1) ? adjoint_in(object, leg) : adjoint_anew(leg, head, site);
}
