/* random_nonblocking.h: steps of random.c that begin several collective calls, and wait for them in an order of each rank's
 * own. The calls are on buffers of their own: 12 cells each to send from and to receive into. */

enum { CALLS = 3, SHARE = 12 };
enum nonblocking_call { I_BCAST, I_REDUCE, I_ALLREDUCE, I_SCAN, I_PARTS, I_BLOCK, I_GATHER, I_SCATTER, I_ALLGATHER,
                        I_ALLTOALL, I_BARRIER, I_CALLS };
struct nonblocking {
    enum nonblocking_call call;
    int count, chosen, from, to;
    int by; /* operation of reductions */
    bool counted, in_place;
};

static bool is_reduced(enum nonblocking_call call) { return call >= I_REDUCE && call <= I_BLOCK; }

/* Elements of a rank's part of I_PARTS. */
static int part_of(const struct nonblocking *c, int rank) { return c->counted ? (c->count + rank) % 4 : c->count; }

static int part_begin(const struct nonblocking *c, int rank) {
    return rank > 0 ? part_begin(c, rank - 1) + part_of(c, rank - 1) : 0;
}

/* Element k of a reduction. */
static void model_element(const struct nonblocking *c, const int list[RANKS], int end, int rank, int k) {
    const int from = c->in_place ? c->to : c->from, cells = cells_of(c->by);
    model_reduce(c->by, list, end, from + k * cells, cell_of(rank, c->to + k * cells));
}

/* The part of member i of a reduction that is cut. */
static void model_part(const struct nonblocking *c, const int list[RANKS], int size, int i) {
    const int from = c->in_place ? c->to : c->from, cells = cells_of(c->by);
    const int begin = c->call == I_PARTS ? part_begin(c, i) : i * c->count;
    for (int k = 0; k < (c->call == I_PARTS ? part_of(c, i) : c->count); k++) {
        model_reduce(c->by, list, size, from + (begin + k) * cells, cell_of(list[i], c->to + k * cells));
    }
}

static void model_nonblocking(const struct nonblocking *c, const int list[RANKS], int size) {
    const int root = c->chosen % size;
    for (int i = 0; i < size; i++) {
        if (c->call == I_PARTS || c->call == I_BLOCK) {
            model_part(c, list, size, i);
        }
        for (int k = 0; k < c->count; k++) {
            const int to = cell_of(list[i], c->to + k);
            switch (c->call) {
            case I_BCAST: i != root ? model_copy(cell_of(list[i], c->from + k), cell_of(list[root], c->from + k)) : (void)0; break;
            case I_REDUCE: i == root ? model_element(c, list, size, list[i], k) : (void)0; break;
            case I_ALLREDUCE: model_element(c, list, size, list[i], k); break;
            case I_SCAN: model_element(c, list, i + 1, list[i], k); break;
            case I_SCATTER: model_copy(to, cell_of(list[root], c->from + i * c->count + k)); break;
            default: break;
            }
        }
        for (int j = 0; j < size; j++) {
            for (int k = 0; k < c->count; k++) {
                const int to = cell_of(list[i], c->to + j * c->count + k);
                if (c->call == I_ALLGATHER || (c->call == I_GATHER && i == root)) {
                    model_copy(to, cell_of(list[j], c->from + k));
                } else if (c->call == I_ALLTOALL) {
                    model_copy(to, cell_of(list[j], c->from + i * c->count + k));
                }
            }
        }
    }
}

static void begin_nonblocking(const struct nonblocking *c, int kind, int size, int own, MPI_Request *request) {
    const MPI_Comm comm = comms[kind];
    const int root = c->chosen % size, n = c->count;
    const double *from = x + c->from;
    double *to = x + c->to;
    const void *give = c->in_place ? MPI_IN_PLACE : (const void *)from;
    const MPI_Op op = op_of(c->by);
    const MPI_Datatype type = type_of(c->by);
    int counts[RANKS], places[RANKS];
    for (int i = 0; i < RANKS; i++) {
        counts[i] = c->call == I_PARTS ? part_of(c, i) : n;
        places[i] = i * n;
    }
#define BEGIN(name, ...)                          \
    do {                                          \
        adtape_MPI_##name(__VA_ARGS__);           \
        called(adtape_MPI_##name##_b);            \
    } while (0)
    switch (c->call) {
    case I_BCAST: BEGIN(Ibcast, x + c->from, n, MPI_DOUBLE, root, comm, request); break;
    case I_REDUCE:
        give = c->in_place && own != root ? to : give;
        BEGIN(Ireduce, give, to, n, type, op, root, comm, request);
        break;
    case I_ALLREDUCE: BEGIN(Iallreduce, give, to, n, type, op, comm, request); break;
    case I_SCAN: BEGIN(Iscan, give, to, n, type, op, comm, request); break;
    case I_PARTS: BEGIN(Ireduce_scatter, give, to, counts, type, op, comm, request); break;
    case I_BLOCK: BEGIN(Ireduce_scatter_block, give, to, n, type, op, comm, request); break;
    case I_GATHER:
        if (c->counted) {
            BEGIN(Igatherv, from, n, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, root, comm, request);
        } else {
            BEGIN(Igather, from, n, MPI_DOUBLE, to, n, MPI_DOUBLE, root, comm, request);
        }
        break;
    case I_SCATTER:
        if (c->counted) {
            BEGIN(Iscatterv, from, counts, places, MPI_DOUBLE, to, n, MPI_DOUBLE, root, comm, request);
        } else {
            BEGIN(Iscatter, from, n, MPI_DOUBLE, to, n, MPI_DOUBLE, root, comm, request);
        }
        break;
    case I_ALLGATHER:
        if (c->counted) {
            BEGIN(Iallgatherv, from, n, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, comm, request);
        } else {
            BEGIN(Iallgather, from, n, MPI_DOUBLE, to, n, MPI_DOUBLE, comm, request);
        }
        break;
    case I_ALLTOALL:
        if (c->counted) {
            BEGIN(Ialltoallv, from, counts, places, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, comm, request);
        } else {
            BEGIN(Ialltoall, from, n, MPI_DOUBLE, to, n, MPI_DOUBLE, comm, request);
        }
        break;
    default: BEGIN(Ibarrier, comm, request); break;
    }
#undef BEGIN
}

static void step_nonblocking(void) {
    struct nonblocking calls[CALLS];
    MPI_Request requests[CALLS + 1];
    const int count = 1 + pick(CALLS), kind = pick(KINDS), tag = pick(4);
    int list[RANKS], size;
    for (int i = 0; i < count; i++) {
        calls[i] = (struct nonblocking){.call = (enum nonblocking_call)pick(I_CALLS), .count = pick(4),
                                        .chosen = pick(RANKS), .from = 2 * i * SHARE, .to = (2 * i + 1) * SHARE,
                                        .by = pick(OPS), .counted = pick(2), .in_place = pick(3) == 0};
        const bool cut = calls[i].call == I_PARTS || calls[i].call == I_BLOCK;
        if (cut && cells_of(calls[i].by) > 1 && !(calls[i].call == I_PARTS && calls[i].counted)) {
            calls[i].count %= 2; /* of all ranks no more than the share */
        }
        if (is_reduced(calls[i].call) && calls[i].by != BY_SUM) {
            fold(calls[i].from, 2 * SHARE);
        }
    }
    for (int of = 0; of < ranks; of++) {
        if (!is_first(kind, of, list, &size)) {
            continue;
        }
        for (int i = 0; i < count; i++) {
            model_nonblocking(&calls[i], list, size);
        }
        if (is_in(list, size, me)) {
            int own = 0;
            for (int i = 0; i < size; i++) {
                own = list[i] == me ? i : own;
            }
            for (int i = 0; i < count; i++) {
                begin_nonblocking(&calls[i], kind, size, own, &requests[i]);
            }
        }
    }
    /* A message to itself is under way, too. */
    static double to_self[2], to_self_b[2];
    static bool known;
    if (!known) {
        adtape_live_add(NULL, to_self, sizeof to_self, ADTAPE_KIND_STATIC, "to_self");
        adtape_live_set_adjoint(NULL, to_self, to_self_b, sizeof to_self_b);
        known = true;
    }
    adtape_MPI_Isend(to_self, 1, MPI_DOUBLE, 0, tag, MPI_COMM_SELF, &requests[count]);
    called(adtape_MPI_Isend_b);
    adtape_MPI_Recv(to_self + 1, 1, MPI_DOUBLE, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    called(adtape_MPI_Recv_b);
    model_step();
    wait_for(requests, count + 1, random_word() + (uint64_t)me * 7919);
}
