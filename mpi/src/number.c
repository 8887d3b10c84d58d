/* number.c: which message is which. Messages are counted by communicator, direction, peer and tag, in the order in
 * which they are posted; MPI matches them in that order, so both ends give a message the same number.
 *
 * A receive from any source or of any tag has its peer and tag only when it is complete. Until then the numbers of the
 * receives posted behind it, as far as it might take their messages, are not known either: they are unsettled. One
 * that is waited for while it is unsettled leaves its serial on the tape, under which the number is found later. */

struct collective;
struct request {
    MPI_Request handle;
    uint64_t serial, number;
    struct request *twin;  /* a later one with the same handle, which implementations give to several sends */
    struct request *next;  /* unsettled */
    int peer, tag;         /* of a receive: wild until it is complete */
    bool receives, settled, waited;
    struct collective *collective; /* NULL: a message */
    uint64_t comparison;   /* of what all ranks do, of a collective call in check mode; else 0 */
    struct leg draft;      /* of its wait's record */
};

static struct table late_numbers; /* serial of a request to number + 1 */

enum direction { SENDING, RECEIVING };

/* Whether so many requests are under way that two of one peer and tag may have numbers with the same low bits. */
static bool are_many(void) { return __builtin_expect(mpi.under_way >> mpi.number_bits != 0, 0); }

static __attribute__((cold, noreturn)) void refuse_many(const void *site) {
    fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
         "%" PRIu64 " requests are under way, more than adtape_mpi can tell apart in the reverse sweep\n"
         "  wait for some of them before, or give messages of one rank several tags; with ADTAPE_CHECK=1 there is no limit",
         mpi.under_way);
}

/* What has its number when it is complete, and what all ranks have. */
static inline void expect_few(const void *site) {
    if (are_many() && !mpi.check) {
        refuse_many(site);
    }
}

/* requests: request.c */
static void expect_alone(const struct comm *comm, enum direction direction, int peer, int tag, uint64_t number,
                         const void *site);

static uint64_t number_next(struct comm *comm, enum direction direction, int peer, int tag, const void *site) {
    const uint64_t key = (uint64_t)direction << 63 | (uint64_t)(uint32_t)peer << 31 | (uint64_t)(uint32_t)tag;
    const uint64_t number = (*table_at(&comm->next, key, site))++;
    if (are_many()) {
        expect_alone(comm, direction, peer, tag, number, site);
    }
    return number;
}

static bool is_wild(int peer, int tag) { return peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG; }

/* Whether a receive that is posted now has to wait for its number. */
static bool is_unsettled(const struct comm *comm, int peer, int tag) {
    return comm->unsettled != NULL || is_wild(peer, tag);
}

static void number_enqueue(struct comm *comm, struct request *request, const void *site) {
    expect_few(site);
    request->next = NULL;
    *comm->unsettled_end = request;
    comm->unsettled_end = &request->next;
}

/* Whether `earlier` may have taken a message that `later` received, or has to be counted before it. */
static bool is_before(const struct request *earlier, const struct request *later) {
    return (earlier->peer == MPI_ANY_SOURCE || earlier->peer == later->peer) &&
           (earlier->tag == MPI_ANY_TAG || earlier->tag == later->tag);
}

static void number_settle(struct request *request, uint64_t number, const void *site) {
    request->number = number;
    request->settled = true;
    if (request->waited) {
        *table_at(&late_numbers, request->serial, site) = number + 1;
        room_free(request);
    }
}

/* Settles what can be settled after a receive has completed. */
static void number_settle_all(struct comm *comm, const void *site) {
    struct request **place = &comm->unsettled;
    while (*place != NULL) {
        struct request *request = *place;
        bool settles = !is_wild(request->peer, request->tag);
        for (const struct request *other = comm->unsettled; settles && other != request; other = other->next) {
            settles = !is_before(other, request);
        }
        if (settles) {
            *place = request->next;
            number_settle(request, number_next(comm, RECEIVING, request->peer, request->tag, site), site);
        } else {
            place = &request->next;
        }
    }
    comm->unsettled_end = place;
}

/* A number that was not known when the receive was waited for. */
static uint64_t number_late(uint64_t serial, const void *site) {
    const uint64_t *number = table_find(&late_numbers, serial);
    if (number == NULL) {
        fail(ADTAPE_STATUS_MISMATCH, site,
             "a receive cannot be reversed: which message it took is not known\n"
             "  a receive from MPI_ANY_SOURCE or of MPI_ANY_TAG that was posted before it was never waited for");
    }
    return *number - 1;
}
