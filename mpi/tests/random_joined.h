/* random_joined.h: steps of random.c with datatypes that join cells of x and of y, which are two objects. Each rank has
 * cells and an order of its own; together they are as many on all ranks. */

enum { PIECES = 3, PIECE = 4 };

/* Where the cells of a joined buffer are, in the order of its datatype. */
struct joined {
    int start[PIECES], length[PIECES], count;
    int cells[PIECES * PIECE];
};

/* A piece in the first part of x, one in y, one in the second part of x, of these lengths, in any order. */
static struct joined make_joined(const int lengths[PIECES], int end) {
    static const int areas[PIECES] = {0, CELLS, 24};
    struct joined joined = {.count = 0};
    const int turn = pick(PIECES);
    for (int i = 0; i < PIECES; i++) {
        const int area = (i + turn) % PIECES, length = lengths[i];
        joined.start[i] = areas[area] + pick((area == 1 ? MORE : end) - PIECE);
        joined.length[i] = length;
        for (int k = 0; k < length; k++) {
            joined.cells[joined.count++] = joined.start[i] + k;
        }
    }
    return joined;
}

static double *address_of(int cell) { return cell < CELLS ? &x[cell] : &y[cell - CELLS]; }

/* From MPI_BOTTOM, or from its first piece. Made for one call. */
static MPI_Datatype joined_type(const struct joined *joined, bool absolute, const void **buffer) {
    MPI_Aint places[PIECES], first;
    MPI_Datatype type;
    *buffer = absolute ? MPI_BOTTOM : address_of(joined->start[0]);
    MPI_Get_address(address_of(joined->start[0]), &first);
    for (int i = 0; i < PIECES; i++) {
        MPI_Get_address(address_of(joined->start[i]), &places[i]);
        places[i] -= absolute ? 0 : first;
    }
    MPI_Type_create_hindexed(PIECES, joined->length, places, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void model_joined(int to, const struct joined *got, int from, const struct joined *given) {
    for (int k = 0; k < given->count; k++) {
        model_copy(cell_of(to, got->cells[k]), cell_of(from, given->cells[k]));
    }
}

/* From rank to rank round the ring: what each sends, and what it receives into. */
static void shift_joined(const struct joined given[RANKS], const struct joined got[RANKS], bool absolute,
                         bool at_once) {
    const void *from, *to;
    const int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;
    MPI_Datatype given_type = joined_type(&given[me], absolute, &from), got_type = joined_type(&got[me], absolute, &to);
    MPI_Request requests[2];
    if (at_once) {
        adtape_MPI_Sendrecv(from, 1, given_type, next, 4, (void *)(uintptr_t)to, 1, got_type, last, 4,
                            comms[DUPLICATE], MPI_STATUS_IGNORE);
        called(adtape_MPI_Sendrecv_b);
    } else {
        adtape_MPI_Isend(from, 1, given_type, next, 4, comms[DUPLICATE], &requests[0]);
        called(adtape_MPI_Isend_b);
        adtape_MPI_Irecv((void *)(uintptr_t)to, 1, got_type, last, 4, comms[DUPLICATE], &requests[1]);
        called(adtape_MPI_Irecv_b);
        adtape_MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        called(adtape_MPI_Waitall_b);
    }
    MPI_Type_free(&given_type);
    MPI_Type_free(&got_type);
}

static void broadcast_joined(const struct joined given[RANKS], int root, bool absolute, bool at_once) {
    const void *buffer;
    MPI_Datatype type = joined_type(&given[me], absolute, &buffer);
    MPI_Request request;
    if (at_once) {
        adtape_MPI_Bcast((void *)(uintptr_t)buffer, 1, type, root, comms[DUPLICATE]);
        called(adtape_MPI_Bcast_b);
    } else {
        adtape_MPI_Ibcast((void *)(uintptr_t)buffer, 1, type, root, comms[DUPLICATE], &request);
        called(adtape_MPI_Ibcast_b);
        adtape_MPI_Wait(&request, MPI_STATUS_IGNORE);
        called(adtape_MPI_Wait_b);
    }
    MPI_Type_free(&type);
}

/* Of all ranks, one behind the other in x. */
static void gather_joined(const struct joined given[RANKS], int to, bool absolute) {
    const void *from;
    MPI_Datatype type = joined_type(&given[me], absolute, &from);
    adtape_MPI_Allgather(from, 1, type, x + to, given[me].count, MPI_DOUBLE, comms[DUPLICATE]);
    called(adtape_MPI_Allgather_b);
    MPI_Type_free(&type);
}

static void step_joined(void) {
    const int what = pick(4), root = pick(ranks), end = 24, behind = 2 * end;
    const bool absolute = pick(2), at_once = pick(2);
    int lengths[PIECES], sums[PIECES];
    struct joined given[RANKS], got[RANKS];
    for (int i = 0; i < PIECES; i++) {
        lengths[i] = pick(PIECE);
    }
    for (int i = 0; i < PIECES; i++) {
        sums[i] = lengths[PIECES - 1 - i];
    }
    for (int rank = 0; rank < ranks; rank++) {
        given[rank] = make_joined(rank % 2 ? lengths : sums, end);
        got[rank] = make_joined(sums, end);
    }
    if (what == 3 && behind + ranks * given[0].count > CELLS) {
        return;
    }
    if (what < 2) {
        /* What is sent is not received into. */
        for (int rank = 0; rank < ranks; rank++) {
            for (int k = 0; k < got[rank].count; k++) {
                for (int i = 0; i < given[rank].count; i++) {
                    if (given[rank].cells[i] == got[rank].cells[k]) {
                        return;
                    }
                }
            }
        }
        for (int rank = 0; rank < ranks; rank++) {
            const int last = (rank + ranks - 1) % ranks;
            model_joined(rank, &got[rank], last, &given[last]);
        }
        shift_joined(given, got, absolute, at_once);
    } else if (what == 2) {
        for (int rank = 0; rank < ranks; rank++) {
            rank != root ? model_joined(rank, &given[rank], root, &given[root]) : (void)0;
        }
        broadcast_joined(given, root, absolute, at_once);
    } else {
        for (int rank = 0; rank < ranks; rank++) {
            for (int other = 0; other < ranks; other++) {
                for (int k = 0; k < given[other].count; k++) {
                    model_copy(cell_of(rank, behind + other * given[other].count + k),
                               cell_of(other, given[other].cells[k]));
                }
            }
        }
        gather_joined(given, behind, absolute);
    }
    model_step();
}
