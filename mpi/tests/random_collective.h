/* random_collective.h: collective steps of random.c. Each part of a communicator does its own. */

/* Members of the communicator that the part has which rank `of` is in; only the first member's part is new. */
static bool is_first(int kind, int of, int list[RANKS], int *size) {
    *size = members(kind, of, list);
    for (int i = 0; i < *size; i++) {
        if (list[i] < of) {
            return false;
        }
    }
    return true;
}

static bool is_in(const int list[RANKS], int size, int rank) {
    for (int i = 0; i < size; i++) {
        if (list[i] == rank) {
            return true;
        }
    }
    return false;
}

static void step_bcast(void) {
    const int kind = pick(KINDS), count = pick(6), from = pick(CELLS - 12), stride = 1 + pick(2), which = pick(RANKS);
    MPI_Datatype type = stride == 1 ? MPI_DOUBLE : strided;
    int list[RANKS], size;
    for (int of = 0; of < ranks; of++) {
        if (!is_first(kind, of, list, &size)) {
            continue;
        }
        const int root = which % size;
        for (int i = 0; i < size; i++) {
            for (int k = 0; k < count && list[i] != list[root]; k++) {
                model_copy(cell_of(list[i], from + stride * k), cell_of(list[root], from + stride * k));
            }
        }
        if (is_in(list, size, me)) {
            adtape_MPI_Bcast(x + from, count, type, root, comms[kind]);
            called(adtape_MPI_Bcast_b);
        }
    }
    model_step();
}

enum { OPS = 4 };
static const MPI_Op *op_of(int which) {
    static const MPI_Op ops[OPS] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD};
    return &ops[which];
}

/* The result of cell `from` of all, and on what it depends, as an assignment to a cell. */
static void model_reduce(int which, const int list[RANKS], int size, int from, int to) {
    double value = which == 3 ? 1 : 0;
    int winner = 0;
    for (int i = 0; i < size; i++) {
        const double one = model.x[cell_of(list[i], from)], best = model.x[cell_of(list[winner], from)];
        winner = (which == 1 && one > best) || (which == 2 && one < best) ? i : winner;
        value = which == 0 ? value + one : which == 3 ? value * one : model.x[cell_of(list[winner], from)];
    }
    model_assign(to, value);
    for (int i = 0; i < size; i++) {
        double coefficient = which == 0 || which == 3 || i == winner ? 1 : 0;
        for (int k = 0; which == 3 && k < size; k++) {
            coefficient *= k != i ? model.x[cell_of(list[k], from)] : 1;
        }
        if (coefficient != 0) {
            model_term(coefficient, cell_of(list[i], from));
        }
    }
}

static void step_reduce(void) {
    const int kind = pick(KINDS), count = pick(5), from = pick(CELLS / 2 - 8), which = pick(OPS), chosen = pick(RANKS);
    const bool all = pick(2), in_place = pick(3) == 0;
    const int to = in_place ? from : CELLS / 2 + pick(CELLS / 2 - 8);
    int list[RANKS], size;
    fold(from, count);
    for (int of = 0; of < ranks; of++) {
        if (!is_first(kind, of, list, &size)) {
            continue;
        }
        const int root = chosen % size;
        for (int i = 0; i < size; i++) {
            for (int k = 0; k < count && (all || i == root); k++) {
                model_reduce(which, list, size, from + k, cell_of(list[i], to + k));
            }
        }
        if (!is_in(list, size, me)) {
            continue;
        }
        const void *give = in_place && (all || me == list[root]) ? MPI_IN_PLACE : x + from;
        if (all) {
            adtape_MPI_Allreduce(give, x + to, count, MPI_DOUBLE, *op_of(which), comms[kind]);
            called(adtape_MPI_Allreduce_b);
        } else {
            adtape_MPI_Reduce(give, x + to, count, MPI_DOUBLE, *op_of(which), root, comms[kind]);
            called(adtape_MPI_Reduce_b);
        }
    }
    model_step();
}

/* What has no derivative: a barrier, whole numbers. */
static void step_passive(void) {
    static int numbers[4];
    const int kind = pick(KINDS);
    adtape_MPI_Barrier(comms[kind]);
    called(adtape_MPI_Barrier_b);
    numbers[0] = me;
    adtape_MPI_Allreduce(numbers, numbers + 1, 1, MPI_INT, MPI_BAND, comms[kind]);
    called(adtape_MPI_Allreduce_b);
    adtape_MPI_Bcast(numbers, 4, MPI_INT, 0, comms[kind]);
    called(adtape_MPI_Bcast_b);
}
