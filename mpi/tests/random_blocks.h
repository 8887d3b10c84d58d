/* random_blocks.h: steps of random.c on a block for each rank, scans, and what is reduced and scattered. */

enum block_call { GATHER, SCATTER, ALLGATHER, ALLTOALL };

/* A step: who gives how many cells to whom, from where to where. Members are counted within a communicator's part. */
struct blocks_step {
    enum block_call call;
    bool counted, in_place; /* by the call with counts for each rank */
    int kind, count, chosen, from, to;
    int cells[RANKS][RANKS]; /* of the first member to the second, before what the call does not send */
};

static int width(const struct blocks_step *s) { return s->counted ? 4 : s->count; }

static int given_cell(const struct blocks_step *s, int me_of, int to_of, int root) {
    const bool many = s->call == SCATTER || s->call == ALLTOALL;
    if (s->in_place && (s->call == ALLGATHER || (s->call == GATHER && me_of == root))) {
        return s->to + me_of * width(s);
    }
    return (s->in_place && s->call == ALLTOALL ? s->to : s->from) + (many ? to_of * width(s) : 0);
}

static int got_cell(const struct blocks_step *s, int me_of, int from_of, int root) {
    if (s->call == SCATTER) {
        return s->in_place && me_of == root ? s->from + root * width(s) : s->to;
    }
    return s->to + from_of * width(s);
}

static int sent(const struct blocks_step *s, int from_of, int to_of, int root) {
    if (s->call == GATHER) {
        return to_of == root ? s->cells[from_of][0] : 0;
    }
    if (s->call == SCATTER) {
        return from_of == root ? s->cells[to_of][0] : 0;
    }
    const int low = from_of < to_of ? from_of : to_of, high = from_of + to_of - low;
    return s->call == ALLGATHER ? s->cells[from_of][0] : s->cells[low][high];
}

static void model_blocks(const struct blocks_step *s, const int list[RANKS], int size) {
    const int root = s->chosen % size;
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            for (int k = 0; k < sent(s, i, j, root); k++) {
                model_copy(cell_of(list[j], got_cell(s, j, i, root) + k),
                           cell_of(list[i], given_cell(s, i, j, root) + k));
            }
        }
    }
}

static void call_counted(const struct blocks_step *s, const void *give, void *get, int own, int size, int root) {
    int counts[RANKS], places[RANKS];
    const MPI_Comm comm = comms[s->kind];
    const bool scatters = s->call == SCATTER;
    for (int i = 0; i < size; i++) {
        counts[i] = scatters ? s->cells[i][0] : s->call == ALLTOALL ? sent(s, i, own, root) : s->cells[i][0];
        places[i] = i * width(s);
    }
    switch (s->call) {
    case GATHER:
        adtape_MPI_Gatherv(give, s->cells[own][0], MPI_DOUBLE, get, counts, places, MPI_DOUBLE, root, comm);
        called(adtape_MPI_Gatherv_b);
        break;
    case SCATTER:
        adtape_MPI_Scatterv(give, counts, places, MPI_DOUBLE, get, s->cells[own][0], MPI_DOUBLE, root, comm);
        called(adtape_MPI_Scatterv_b);
        break;
    case ALLGATHER:
        adtape_MPI_Allgatherv(give, s->cells[own][0], MPI_DOUBLE, get, counts, places, MPI_DOUBLE, comm);
        called(adtape_MPI_Allgatherv_b);
        break;
    default:
        adtape_MPI_Alltoallv(give, counts, places, MPI_DOUBLE, get, counts, places, MPI_DOUBLE, comm);
        called(adtape_MPI_Alltoallv_b);
        break;
    }
}

static void call_even(const struct blocks_step *s, const void *give, void *get, int root) {
    const MPI_Comm comm = comms[s->kind];
    switch (s->call) {
    case GATHER:
        adtape_MPI_Gather(give, s->count, MPI_DOUBLE, get, s->count, MPI_DOUBLE, root, comm);
        called(adtape_MPI_Gather_b);
        break;
    case SCATTER:
        adtape_MPI_Scatter(give, s->count, MPI_DOUBLE, get, s->count, MPI_DOUBLE, root, comm);
        called(adtape_MPI_Scatter_b);
        break;
    case ALLGATHER:
        adtape_MPI_Allgather(give, s->count, MPI_DOUBLE, get, s->count, MPI_DOUBLE, comm);
        called(adtape_MPI_Allgather_b);
        break;
    default:
        adtape_MPI_Alltoall(give, s->count, MPI_DOUBLE, get, s->count, MPI_DOUBLE, comm);
        called(adtape_MPI_Alltoall_b);
        break;
    }
}

static void call_blocks(const struct blocks_step *s, const int list[RANKS], int size) {
    const int root = s->chosen % size;
    int own = 0;
    for (int i = 0; i < size; i++) {
        own = list[i] == me ? i : own;
    }
    const bool own_root = own == root;
    const bool keeps = s->in_place && (s->call == ALLGATHER || s->call == ALLTOALL || own_root);
    const void *give = keeps && s->call != SCATTER ? MPI_IN_PLACE : x + s->from;
    void *get = keeps && s->call == SCATTER ? MPI_IN_PLACE : x + s->to;
    if (s->counted) {
        call_counted(s, give, get, own, size, root);
    } else {
        call_even(s, give, get, root);
    }
}

static void step_blocks(void) {
    struct blocks_step s = {.call = (enum block_call)pick(4), .counted = pick(2), .in_place = pick(3) == 0,
                            .kind = pick(KINDS), .count = pick(4), .chosen = pick(RANKS), .from = pick(8),
                            .to = CELLS / 2 + pick(8)};
    int list[RANKS], size;
    for (int i = 0; i < RANKS; i++) {
        for (int j = 0; j < RANKS; j++) {
            s.cells[i][j] = s.counted ? pick(4) : s.count;
        }
    }
    for (int of = 0; of < ranks; of++) {
        if (is_first(s.kind, of, list, &size)) {
            model_blocks(&s, list, size);
            if (is_in(list, size, me)) {
                call_blocks(&s, list, size);
            }
        }
    }
    model_step();
}

/* ---- scans ---- */

static void scan_part(bool exclusive, int which, int count, int from, int to, int kind, const int list[RANKS],
                      int size) {
    const int each = cells_of(which);
    for (int i = exclusive; i < size; i++) {
        for (int k = 0; k < count; k++) {
            model_reduce(which, list, exclusive ? i : i + 1, from + k * each, cell_of(list[i], to + k * each));
        }
    }
    if (!is_in(list, size, me)) {
        return;
    }
    const void *give = from == to ? MPI_IN_PLACE : x + from;
    if (exclusive) {
        adtape_MPI_Exscan(give, x + to, count, type_of(which), op_of(which), comms[kind]);
        called(adtape_MPI_Exscan_b);
    } else {
        adtape_MPI_Scan(give, x + to, count, type_of(which), op_of(which), comms[kind]);
        called(adtape_MPI_Scan_b);
    }
}

static void reduce_scatter_part(bool even, int which, const int counts[RANKS], int from, int to, int kind,
                                const int list[RANKS], int size) {
    const int each = cells_of(which);
    int place = from;
    for (int i = 0; i < size; i++) {
        for (int k = 0; k < (even ? counts[0] : counts[i]); k++) {
            model_reduce(which, list, size, place, cell_of(list[i], to + k * each));
            place += each;
        }
    }
    if (is_in(list, size, me) && even) {
        adtape_MPI_Reduce_scatter_block(x + from, x + to, counts[0], type_of(which), op_of(which), comms[kind]);
        called(adtape_MPI_Reduce_scatter_block_b);
    } else if (is_in(list, size, me)) {
        adtape_MPI_Reduce_scatter(x + from, x + to, counts, type_of(which), op_of(which), comms[kind]);
        called(adtape_MPI_Reduce_scatter_b);
    }
}

static void step_scan(void) {
    const int kind = pick(KINDS), which = pick(OPS), count = pick(4), from = pick(8);
    const int to = pick(3) ? CELLS - 20 + pick(8) : from;
    const bool scan = pick(2), other = pick(2); /* Exscan, Reduce_scatter_block */
    int counts[RANKS], list[RANKS], size;
    for (int i = 0; i < RANKS; i++) {
        counts[i] = pick(4);
    }
    fold(from, 3 * RANKS * cells_of(which));
    for (int of = 0; of < ranks; of++) {
        if (!is_first(kind, of, list, &size)) {
            continue;
        }
        if (scan) {
            scan_part(other, which, count, from, to, kind, list, size);
        } else {
            reduce_scatter_part(other, which, counts, from, CELLS - 12 + count, kind, list, size);
        }
    }
    model_step();
}

/* ---- neighbours ---- */

/* Which member's block a rank gets from a side, 0 below and 1 above; -1: nobody is there. */
static int neighbor(int rank, int side, bool around) {
    const int other = side == 0 ? rank - 1 : rank + 1;
    return around ? (other + ranks) % ranks : other >= 0 && other < ranks ? other : -1;
}

/* Whether what comes from below was sent to above. On one or two ranks around, the neighbours of both sides are one, and
 * MPIs need not tell the sides apart; MPICH 4.0 does so by one call and not by the other. */
static bool sides_are_crossed(bool around, bool counted) {
    const int counts[2] = {1, 1}, places[2] = {0, 1};
    int sent[2] = {0, 1}, came[2] = {1, 0};
    const MPI_Comm comm = comms[around ? GRID : LINE];
    if (counted) {
        PMPI_Neighbor_alltoallv(sent, counts, places, MPI_INT, came, counts, places, MPI_INT, comm);
    } else {
        PMPI_Neighbor_alltoall(sent, 1, MPI_INT, came, 1, MPI_INT, comm);
    }
    return neighbor(me, 0, around) < 0 ? came[1] == 0 : came[0] == 1;
}

/* Blocks of 4 cells; a rank sends cells[rank][side] of them to each side, or cells[rank][0] to both. */
static void call_neighbors(bool to_all, bool counted, int count, int cells[RANKS][2], int from, int to, bool around,
                           bool crossed) {
    const MPI_Comm comm = comms[around ? GRID : LINE];
    const int below = neighbor(me, 0, around), above = neighbor(me, 1, around), places[2] = {0, 4};
    const int get[2] = {below >= 0 ? cells[below][to_all && crossed] : 2,
                        above >= 0 ? cells[above][to_all && !crossed] : 2};
    const int give[2] = {cells[me][0], cells[me][1]};
    if (to_all && counted) {
        adtape_MPI_Neighbor_alltoallv(x + from, give, places, MPI_DOUBLE, x + to, get, places, MPI_DOUBLE, comm);
        called(adtape_MPI_Neighbor_alltoallv_b);
    } else if (to_all) {
        adtape_MPI_Neighbor_alltoall(x + from, count, MPI_DOUBLE, x + to, count, MPI_DOUBLE, comm);
        called(adtape_MPI_Neighbor_alltoall_b);
    } else if (counted) {
        adtape_MPI_Neighbor_allgatherv(x + from, give[0], MPI_DOUBLE, x + to, get, places, MPI_DOUBLE, comm);
        called(adtape_MPI_Neighbor_allgatherv_b);
    } else {
        adtape_MPI_Neighbor_allgather(x + from, count, MPI_DOUBLE, x + to, count, MPI_DOUBLE, comm);
        called(adtape_MPI_Neighbor_allgather_b);
    }
}

static void step_neighbors(void) {
    const bool to_all = pick(2), counted = pick(2), around = pick(2);
    const int count = pick(4), from = pick(8), to = CELLS / 2 + pick(8), width = counted ? 4 : count;
    const bool crossed = (ranks == 1 && !around) || sides_are_crossed(around, counted);
    int cells[RANKS][2];
    for (int rank = 0; rank < RANKS; rank++) {
        cells[rank][0] = counted ? pick(4) : count;
        cells[rank][1] = counted ? pick(4) : count;
    }
    for (int rank = 0; rank < ranks; rank++) {
        for (int side = 0; side < 2; side++) {
            const int other = neighbor(rank, side, around), sent_to = !to_all ? 0 : crossed ? 1 - side : side;
            for (int k = 0; other >= 0 && k < cells[other][sent_to]; k++) {
                model_copy(cell_of(rank, to + side * width + k),
                           cell_of(other, from + (to_all ? sent_to * width : 0) + k));
            }
        }
    }
    model_step();
    call_neighbors(to_all, counted, count, cells, from, to, around, crossed);
}
