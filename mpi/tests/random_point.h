/* random_point.h: steps of random.c between two ranks, one at a time, in a ring, and many at once. */

static MPI_Datatype strided; /* one double in two */
static char *bsend_buffer;

static void begin_messages(void) {
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &strided);
    MPI_Type_commit(&strided);
    bsend_buffer = malloc(1 << 16);
    MPI_Buffer_attach(bsend_buffer, 1 << 16);
}

static void end_messages(void) {
    int bytes;
    MPI_Buffer_detach(&bsend_buffer, &bytes);
    free(bsend_buffer);
    MPI_Type_free(&strided);
}

/* A datatype for cells that are `stride` apart, made for one call. */
static MPI_Datatype cells_type(int count, int stride) {
    MPI_Datatype type;
    MPI_Type_vector(count, 1, stride, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

typedef int send_call(const void *, int, MPI_Datatype, int, int, MPI_Comm);

/* Matched first: by Mprobe and Mrecv, or by Improbe and Imrecv. */
static void receive_matched(void *at, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                            MPI_Status *status, bool at_once) {
    MPI_Message message;
    MPI_Request request;
    int flag = 0;
    if (at_once) {
        adtape_MPI_Mprobe(source, tag, comm, &message, MPI_STATUS_IGNORE);
        called(adtape_MPI_Mprobe_b);
        adtape_MPI_Mrecv(at, count, type, &message, status);
        called(adtape_MPI_Mrecv_b);
        return;
    }
    PMPI_Probe(source, tag, comm, MPI_STATUS_IGNORE);
    adtape_MPI_Improbe(source, tag, comm, &flag, &message, MPI_STATUS_IGNORE);
    called(adtape_MPI_Improbe_b);
    assert(flag);
    adtape_MPI_Imrecv(at, count, type, &message, &request);
    called(adtape_MPI_Imrecv_b);
    adtape_MPI_Wait(&request, status);
    called(adtape_MPI_Wait_b);
}

/* One message, received by a call that takes up to `more` cells more than are sent. */
static void step_message(void) {
    static send_call *const sends[3] = {adtape_MPI_Send, adtape_MPI_Ssend, adtape_MPI_Bsend};
    static reverse_function *const reverses[3] = {adtape_MPI_Send_b, adtape_MPI_Ssend_b, adtape_MPI_Bsend_b};
    const int kind = pick(4), how = pick(3), count = pick(6), more = pick(3);
    const int tag = pick(2) ? pick(5) : 1000000 + pick(5);
    const int from = pick(CELLS - 20), to = pick(CELLS - 20), gap = 1 + pick(2), gap_to = 1 + pick(2);
    const bool any_source = pick(3) == 0, any_tag = pick(3) == 0, ignore = pick(2);
    const bool matched = pick(3) == 0, matched_at_once = pick(2);
    const int sender = pick(ranks), receiver = (sender + 1 + pick(ranks > 1 ? ranks - 1 : 1)) % ranks;
    int list[RANKS];
    const int size = members(kind, sender, list);
    int s = -1, r = -1;
    for (int i = 0; i < size; i++) {
        s = list[i] == sender ? i : s;
        r = list[i] == receiver ? i : r;
    }
    if (s < 0 || r < 0 || s == r) {
        return;
    }
    for (int k = 0; k < count; k++) {
        model_copy(cell_of(receiver, to + gap_to * k), cell_of(sender, from + gap * k));
    }
    model_step();
    if (me == sender) {
        MPI_Datatype type = cells_type(count, gap);
        sends[how](x + from, 1, type, r, tag, comms[kind]);
        MPI_Type_free(&type);
        called(reverses[how]);
    }
    if (me == receiver) {
        MPI_Status status;
        if (!any_source && !any_tag && ignore) {
            adtape_MPI_Probe(s, tag, comms[kind], &status);
            called(adtape_MPI_Probe_b);
        }
        const int source = any_source ? MPI_ANY_SOURCE : s, given_tag = any_tag ? MPI_ANY_TAG : tag;
        const MPI_Datatype type = gap_to == 1 ? MPI_DOUBLE : strided;
        MPI_Status *wanted = ignore ? MPI_STATUS_IGNORE : &status;
        if (matched) {
            receive_matched(x + to, count + more, type, source, given_tag, comms[kind], wanted, matched_at_once);
        } else {
            adtape_MPI_Recv(x + to, count + more, type, source, given_tag, comms[kind], wanted);
            called(adtape_MPI_Recv_b);
        }
        assert(ignore || (status.MPI_SOURCE == s && status.MPI_TAG == tag));
    }
    if (any_source || any_tag) {
        PMPI_Barrier(MPI_COMM_WORLD); /* or it might take a message of a later step */
    }
}

/* Each rank sends to the one `by` further on; without `around`, the ends have no neighbour. */
static void step_shift(void) {
    const int by = 1 + pick(2), count = pick(6), from = pick(CELLS / 2 - 6), to = CELLS / 2 + pick(CELLS / 2 - 6);
    const bool around = pick(2), replace = pick(2);
    for (int rank = 0; rank < ranks; rank++) {
        const int source = rank - by;
        for (int k = 0; k < count && (around || source >= 0); k++) {
            model_copy(cell_of(rank, (replace ? from : to) + k), cell_of((source + 2 * ranks) % ranks, from + k));
        }
    }
    model_step();
    const int next = me + by, last = me - by;
    const int dest = around ? next % ranks : next < ranks ? next : MPI_PROC_NULL;
    const int source = around ? (last + 2 * ranks) % ranks : last >= 0 ? last : MPI_PROC_NULL;
    if (replace) {
        adtape_MPI_Sendrecv_replace(x + from, count, MPI_DOUBLE, dest, 3, source, 3, comms[GRID], MPI_STATUS_IGNORE);
        called(adtape_MPI_Sendrecv_replace_b);
    } else {
        adtape_MPI_Sendrecv(x + from, count, MPI_DOUBLE, dest, 3, x + to, count, MPI_DOUBLE, source, 3, comms[GRID],
                            MPI_STATUS_IGNORE);
        called(adtape_MPI_Sendrecv_b);
    }
}

/* ---- many messages at once ---- */

enum { MOST = 12, WIDTH = 4 };
struct message {
    int from, to, tag, count;
    int cell;                /* that it is sent from; the first one holds its number */
    int slot;                /* of the receiver, that it is meant for */
    bool any_source, any_tag;
    int took;                /* which message the receive that stands here took */
};

static int slot_cell(int slot) { return CELLS / 2 + slot * WIDTH; }

/* Swaps at random. */
static void shuffle(int *order, int count, uint64_t *state) {
    for (int i = count - 1; i > 0; i--) {
        *state = *state * UINT64_C(6364136223846793005) + 1;
        const int k = (int)((*state >> 33) % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

/* Calls that may find nothing; what waits for the rest comes behind them. */
static void test_some(MPI_Request *part, int several, int how) {
    int flag, index, count, indices[3];
    MPI_Status status, statuses[3];
    switch (how) {
    case 4:
        adtape_MPI_Test(&part[0], &flag, MPI_STATUS_IGNORE);
        called(adtape_MPI_Test_b);
        break;
    case 5:
        adtape_MPI_Testany(several, part, &index, &flag, &status);
        called(adtape_MPI_Testany_b);
        break;
    case 6:
        adtape_MPI_Testsome(several, part, &count, indices, statuses);
        called(adtape_MPI_Testsome_b);
        break;
    default:
        adtape_MPI_Testall(several, part, &flag, MPI_STATUSES_IGNORE);
        called(adtape_MPI_Testall_b);
        break;
    }
}

static void wait_for_part(MPI_Request *part, int several, int how) {
    int index, count, indices[3];
    MPI_Status status;
    if (how >= 4) {
        test_some(part, several, how);
    }
    for (int i = 0; how == 1 && i < several; i++) {
        adtape_MPI_Waitany(several, part, &index, i % 2 ? MPI_STATUS_IGNORE : &status);
        called(adtape_MPI_Waitany_b);
    }
    for (int rest = several; how == 2 && rest > 0; rest -= count) {
        adtape_MPI_Waitsome(several, part, &count, indices, MPI_STATUSES_IGNORE);
        called(adtape_MPI_Waitsome_b);
    }
    if (how % 2) {
        adtape_MPI_Waitall(several, part, MPI_STATUSES_IGNORE);
        called(adtape_MPI_Waitall_b);
    }
    for (int i = 0; how % 2 == 0 && i < several; i++) {
        adtape_MPI_Wait(&part[i], i % 2 ? &status : MPI_STATUS_IGNORE);
        called(adtape_MPI_Wait_b);
    }
}

/* Waits for the requests in a random order, one by one or several at once, by any of the calls. */
static void wait_for(MPI_Request *requests, int count, uint64_t state) {
    int order[2 * MOST];
    for (int i = 0; i < count; i++) {
        order[i] = i;
    }
    shuffle(order, count, &state);
    for (int i = 0; i < count;) {
        MPI_Request part[3];
        const int some = 1 + (int)((state >> (i + 20)) % 3), several = some < count - i ? some : count - i;
        for (int k = 0; k < several; k++) {
            part[k] = requests[order[i + k]];
        }
        wait_for_part(part, several, (int)((state >> (i + 8)) % 8));
        i += several;
    }
}

static void post_send(const struct message *m, bool persistent, MPI_Comm comm, MPI_Request *request) {
    if (!persistent) {
        adtape_MPI_Isend(x + m->cell, m->count, MPI_DOUBLE, m->to, m->tag, comm, request);
        called(adtape_MPI_Isend_b);
    } else if (m->tag % 2) {
        adtape_MPI_Send_init(x + m->cell, m->count, MPI_DOUBLE, m->to, m->tag, comm, request);
        adtape_MPI_Start(request);
        called(adtape_MPI_Start_b);
    } else {
        adtape_MPI_Ssend_init(x + m->cell, m->count, MPI_DOUBLE, m->to, m->tag, comm, request);
        adtape_MPI_Startall(1, request);
        called(adtape_MPI_Startall_b);
    }
}

static void post_receive(const struct message *m, bool persistent, MPI_Comm comm, MPI_Request *request) {
    const int source = m->any_source ? MPI_ANY_SOURCE : m->from, tag = m->any_tag ? MPI_ANY_TAG : m->tag;
    if (persistent) {
        adtape_MPI_Recv_init(x + slot_cell(m->slot), WIDTH, MPI_DOUBLE, source, tag, comm, request);
        adtape_MPI_Start(request);
        called(adtape_MPI_Start_b);
    } else {
        adtape_MPI_Irecv(x + slot_cell(m->slot), WIDTH, MPI_DOUBLE, source, tag, comm, request);
        called(adtape_MPI_Irecv_b);
    }
}

/* This rank's part: receives and sends are posted in an order of its own. */
static void post_batch(struct message *messages, int count, uint64_t state, int kind) {
    MPI_Request requests[2 * MOST], kept[2 * MOST];
    int order[2 * MOST], posted = 0, kept_count = 0;
    for (int i = 0; i < 2 * count; i++) {
        order[i] = i;
    }
    shuffle(order, 2 * count, &state);
    for (int i = 0; i < 2 * count; i++) {
        const struct message *m = &messages[order[i] / 2];
        const bool persistent = (state >> (i + 13)) % 4 == 0;
        if (order[i] % 2 == 0 ? m->from != me : m->to != me) {
            continue;
        }
        if (order[i] % 2 == 0) {
            post_send(m, persistent, comms[kind], &requests[posted]);
        } else {
            post_receive(m, persistent, comms[kind], &requests[posted]);
        }
        if (persistent) {
            kept[kept_count++] = requests[posted];
        }
        posted++;
    }
    wait_for(requests, posted, state);
    while (kept_count > 0) {
        adtape_MPI_Request_free(&kept[--kept_count]);
    }
}

/* Which receives may take a message of another sender or tag, so that all of them find one: all of a rank, or none. */
static int make_batch(struct message *messages) {
    const int count = 1 + pick(MOST), tags = 1 + pick(3), large = pick(4) == 0 ? 5000000 : 0;
    int slots[RANKS] = {0}, sources[RANKS], wild[RANKS];
    for (int rank = 0; rank < ranks; rank++) {
        wild[rank] = pick(4);
    }
    memset(sources, 0, sizeof sources);
    for (int i = 0; i < count; i++) {
        struct message *m = &messages[i];
        *m = (struct message){pick(ranks), pick(ranks), large + pick(tags), 1 + pick(WIDTH - 1), i * WIDTH, 0, 0, 0, 0};
        m->slot = slots[m->to]++;
        /* Any tag of one source finds one if all of that source do; any source of one tag likewise. */
        m->any_tag = wild[m->to] == 1 || wild[m->to] == 3;
        m->any_source = wild[m->to] == 2 || wild[m->to] == 3;
    }
    return count;
}

static void step_batch(void) {
    struct message messages[MOST];
    int took[RANKS * MOST], mine[MOST] = {0};
    const int kind = pick(2) ? WORLD : DUPLICATE, count = make_batch(messages);
    for (int i = 0; i < count; i++) {
        set(messages[i].from, messages[i].cell, i);
    }
    /* Drawn from what all ranks have in common, so that they stay in step. */
    post_batch(messages, count, random_word() + (uint64_t)me * 7919, kind);
    for (int i = 0; i < count; i++) {
        mine[i] = messages[i].to == me ? (int)x[slot_cell(messages[i].slot)] : 0;
    }
    PMPI_Allgather(mine, MOST, MPI_INT, took, MOST, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        const struct message *m = &messages[i], *came = &messages[took[m->to * MOST + i]];
        for (int k = 0; k < came->count; k++) {
            model_copy(cell_of(m->to, slot_cell(m->slot) + k), cell_of(came->from, came->cell + k));
        }
    }
    model_step();
}
