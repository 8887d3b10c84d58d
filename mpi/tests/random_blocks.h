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

static void scan_part(int which, int count, int from, int to, int kind, const int list[RANKS], int size) {
    const int each = cells_of(which);
    for (int i = 0; i < size; i++) {
        for (int k = 0; k < count; k++) {
            model_reduce(which, list, i + 1, from + k * each, cell_of(list[i], to + k * each));
        }
    }
    if (is_in(list, size, me)) {
        adtape_MPI_Scan(from == to ? MPI_IN_PLACE : x + from, x + to, count, type_of(which), op_of(which), comms[kind]);
        called(adtape_MPI_Scan_b);
    }
}

static void reduce_scatter_part(int which, const int counts[RANKS], int from, int to, int kind,
                                const int list[RANKS], int size) {
    const int each = cells_of(which);
    int place = from;
    for (int i = 0; i < size; i++) {
        for (int k = 0; k < counts[i]; k++) {
            model_reduce(which, list, size, place, cell_of(list[i], to + k * each));
            place += each;
        }
    }
    if (is_in(list, size, me)) {
        adtape_MPI_Reduce_scatter(x + from, x + to, counts, type_of(which), op_of(which), comms[kind]);
        called(adtape_MPI_Reduce_scatter_b);
    }
}

static void step_scan(void) {
    const int kind = pick(KINDS), which = pick(OPS), count = pick(4), from = pick(8);
    const int to = pick(3) ? CELLS - 20 + pick(8) : from;
    const bool scan = pick(2);
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
            scan_part(which, count, from, to, kind, list, size);
        } else {
            reduce_scatter_part(which, counts, from, CELLS - 12 + count, kind, list, size);
        }
    }
    model_step();
}
